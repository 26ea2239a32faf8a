package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Finding is one fault or warning.
type Finding struct {
	Place   string `json:"place"`   // file, or file:line
	Problem string `json:"problem"` // what is wrong
	Remedy  string `json:"remedy,omitempty"`
}

// String returns the finding as one line, whatever a file is called.
func (f Finding) String() string { return form.EscapeLine(f.Place + ": " + f.Problem) }

// A Report is the result of [Verify]. A fault breaks a promise of the store; a warning does not.
type Report struct {
	Handoffs int       `json:"handoffs"`
	Events   int       `json:"events"`
	Head     string    `json:"head"` // COUNT:HASH of the log
	Faults   []Finding `json:"faults"`
	Warnings []Finding `json:"warnings"`
}

// repair is the remedy for most faults.
const repair = "handoff verify --repair"

// Err returns nil if the report has no faults. Otherwise the error is fault.ErrIntegrity and names each fault with its
// remedy; the hint is the first remedy that Repair does not replace.
func (r Report) Err() error {
	if len(r.Faults) == 0 {
		return nil
	}
	first := repair
	for _, f := range r.Faults {
		if f.Remedy != "" && f.Remedy != repair {
			first = f.Remedy
			break
		}
	}
	lines := fault.Lines(r.Faults, func(f Finding) string {
		text := f.String()
		if f.Remedy != "" && f.Remedy != first {
			text += "; run `" + form.EscapeLine(f.Remedy) + "`"
		}
		return text
	})
	return fault.Integrity("run `"+first+"`", "%s",
		strings.Join(append(lines, fault.Count(len(r.Faults), "fault")+" found"), "\n"))
}

func (r *Report) fault(place, remedy, format string, args ...any) {
	r.Faults = append(r.Faults, Finding{place, fmt.Sprintf(format, args...), remedy})
}

func (r *Report) warn(place, remedy, format string, args ...any) {
	r.Warnings = append(r.Warnings, Finding{place, fmt.Sprintf(format, args...), remedy})
}

// sort orders findings by place and text.
func sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Place, b.Place), strings.Compare(a.Problem, b.Problem))
	})
}
