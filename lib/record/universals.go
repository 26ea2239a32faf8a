package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// universalFlags are what a new universal handoff says, in the order in which a form asks.
var universalFlags = []Flag{
	{Name: "workflow", Field: "source/workflow_id", Usage: "the run that the work belongs to (`id`)", Needed: true},
	{Name: "phase", Field: "source/phase", Usage: "the `phase` of the work that ends here", Needed: true},
	{Name: "summary", Field: "context/summary", Usage: "how things stand (`text` of at most 500 characters)", Needed: true},
	{Name: "problem-type", Field: "context/problem_type", Usage: "the `type` of the work, such as research (default implementation)"},
	{Name: "gap", Field: "context/known_gaps", Usage: "what is still open (`text`)", List: true},
	{Name: "working", Field: "payload/working", Usage: "a `file` with what the next skill cannot do without, a JSON object", File: true},
	{Name: "artifact", Field: "payload/session/artifacts", Usage: "a file that was made (`path`)", List: true},
	{Name: "file", Field: "payload/references/files", Usage: "a file to read (`path`)", List: true},
	{Name: "invocation", Field: "target/invocation", Usage: "how the next skill is started (`text`)"},
	{Name: "confidence", Field: "meta/confidence", Usage: "`level`: high, medium (default) or low"},
	{Name: "session-path", Field: "source/session_path", Usage: "the `directory` of the session (default the project)"},
	{Name: "expires-at", Field: "expires_at", Usage: "the `time` from which it is no use to resume"},
	{Name: "reason", Field: "meta/handoff_reason", Usage: "why it is handed over, and to a skill that had it already (`text`)"},
}

// saidOfUniversal puts what is said about a universal handoff together. The skills make the head, as
// those of a record do that comes as JSON.
func saidOfUniversal(m *Making) universal.New {
	n := universal.New{
		Source: m.Head.From, Target: m.Head.To, Workflow: m.text("workflow"), Phase: m.text("phase"), Summary: m.text("summary"),
		ProblemType: m.text("problem-type"), Gaps: m.Said["gap"], Working: []byte(m.text("working")), Artifacts: m.Said["artifact"], Files: m.Said["file"],
		Invocation: m.text("invocation"), Confidence: m.text("confidence"), SessionPath: m.text("session-path"), ExpiresAt: m.text("expires-at"),
		Reason: m.text("reason"), At: m.At,
	}
	if t, ok := form.Instant(m.Head.Time); ok {
		n.At = t
	}
	m.Head.From, m.Head.To = "", ""
	warn := m.Warn
	if warn == nil {
		warn = func(string) {}
	}
	if utc, why := universal.UTC(n.ExpiresAt); why != "" {
		warn("--expires-at: " + why)
		n.ExpiresAt = utc
	}
	for _, name := range slices.Concat(n.Artifacts, n.Files) {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			warn(fmt.Sprintf("the file %q does not exist", name))
		}
	}
	return n
}

// newUniversal makes a universal handoff out of what was said on the command line.
func newUniversal(m *Making) ([]byte, error) {
	n := saidOfUniversal(m)
	if n.SessionPath == "" {
		n.SessionPath = filepath.ToSlash(m.Root)
	}
	d, err := universal.Make(n)
	return fitting(d, err)
}

// fitting returns the text of a document that keeps the budget.
func fitting(d *universal.Document, err error) ([]byte, error) {
	if err == nil {
		err = d.Oversize()
	}
	if err != nil {
		return nil, err
	}
	return d.Bytes(), nil
}

// Hop returns the source that stores the next document of a chain: the target of the universal handoff
// in data, which must be valid, hands over to m.Head.To. id is that of the handoff that carries it, ""
// for none; approved says that the user agrees to a long chain. Errors are those of New.
func Hop(m Making, data []byte, id string, approved bool) (handoff.Source, error) {
	m.Kind = universal.Kind
	d, err := universal.Parse(data)
	if err != nil {
		return handoff.Source{}, err
	}
	report, err := d.Check(m.Rules)
	if err != nil {
		return handoff.Source{}, err
	}
	if err := report.Err(); err != nil {
		return handoff.Source{}, err
	}
	if m.Head.To == "" {
		return handoff.Source{}, faulty(handoff.Fault{Pointer: "/target/skill", Problem: "nothing is said about it", Hint: "use --to"})
	}
	n := saidOfUniversal(&m)
	n.Approved = approved
	d, err = d.Hop(n)
	text, err := fitting(d, err)
	if err != nil {
		return handoff.Source{}, err
	}
	if id != "" {
		m.Head.References = append(m.Head.References, id)
	}
	return unplaced(Source("", text, m.Options)), nil
}
