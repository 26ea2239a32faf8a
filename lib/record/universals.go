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

// saidOfUniversal puts what is said about a universal handoff together. The skills make the head, as
// those of a record do that comes as JSON.
func saidOfUniversal(m *Making) universal.New {
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

// newUniversal makes a universal handoff out of what was said on the command line.
func newUniversal(m *Making) ([]byte, error) {
	n := saidOfUniversal(m)
	if m.text("session-path") == "" {
		m.Said["session-path"] = []string{filepath.ToSlash(m.Root)}
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
