package record

import (
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// newUniversal makes a universal handoff from the command line. The skills provide sender and recipient, as in a
// record given as JSON.
func newUniversal(m *Making) ([]byte, error) {
	n := universal.New{Source: m.Head.From, Target: m.Head.To, Said: m.Said, At: m.At}
	if t, ok := form.Instant(m.Head.Time); ok {
		n.At = t
	}
	m.Head.From, m.Head.To = "", ""
	if len(m.Said["session-path"]) == 0 {
		m.Said["session-path"] = []string{filepath.ToSlash(m.Root)}
	}
	d, err := universal.Make(n)
	if err != nil {
		return nil, err
	}
	return d.Bytes(), nil
}
