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

// universalFrom returns a universal handoff from the values of flags. The skills provide sender and recipient,
// as in a record given as JSON.
func universalFrom(m *Making) universal.New {
	n := universal.New{Source: m.Head.From, Target: m.Head.To, Said: m.Said, At: m.At}
	if t, ok := form.Instant(m.Head.Time); ok {
		n.At = t
	}
	m.Head.From, m.Head.To = "", ""
	warn := m.Warn
	if warn == nil {
		warn = func(string) {}
	}
	if utc, why := universal.UTC(m.text("expires-at")); why != "" {
		warn("--expires-at: " + why)
		m.Said["expires-at"] = []string{utc}
	}
	for _, name := range slices.Concat(m.Said["artifact"], m.Said["file"]) {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			warn(fmt.Sprintf("the file %q does not exist", name))
		}
	}
	return n
}

// newUniversal makes a universal handoff from the command line.
func newUniversal(m *Making) ([]byte, error) {
	n := universalFrom(m)
	if m.text("session-path") == "" {
		m.Said["session-path"] = []string{filepath.ToSlash(m.Root)}
	}
	d, err := universal.Make(n)
	if err != nil {
		return nil, err
	}
	return d.Bytes(), nil
}

// Hop returns the source of the next document in a chain: the target of the universal handoff in data hands over
// to m.Head.To. data must be valid. id is the handoff that carries it, or "". approved confirms that the user
// agrees to a long chain. Errors are those of New.
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
		return handoff.Source{}, faulty(handoff.Fault{Pointer: "/target/skill", Problem: "missing", Hint: "use --to"})
	}
	n := universalFrom(&m)
	n.Approved = approved
	if d, err = d.Hop(n); err != nil {
		return handoff.Source{}, err
	}
	if id != "" {
		m.Head.References = append(m.Head.References, id)
	}
	return unplaced(d.Bytes(), m.Options), nil
}
