package packet

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Probed claim is one that a probe of the project was to confirm.
type Probed struct {
	Probe   string `json:"probe"`
	Verdict string `json:"verdict"` // confirmed, contradicted, not run, other work
	Pass    bool   `json:"pass"`    // nothing speaks against the claim
	Reason  string `json:"reason"`  // in our own words
	Output  string `json:"output,omitempty"`
	Defined bool   `json:"-"` // the project has a probe of that name
}

// probes puts the claims of the artifact to the test, if that is asked for. Else it says that nobody did.
func (c *checking) probes() {
	claimed := relation.Of(c.references).Probes
	switch {
	case c.o.Probe == nil && len(claimed) > 0:
		c.note("it claims that probes of the project have passed, and nothing was run to see whether they do")
	case c.o.Probe != nil:
		c.probed(c.o.Probe(c.id, c.references))
	}
}

func (c *checking) probed(all []Probed) {
	if len(all) == 0 {
		c.note("it claims nothing that a probe was to confirm")
		return
	}
	pass, reasons := true, make([]string, len(all))
	for i, p := range all {
		name := quoted(p.Probe)
		if p.Defined {
			name = p.Probe
		}
		reasons[i] = name + " " + p.Verdict + ": " + p.Reason
		pass = pass && p.Pass
		p.Output, _ = form.Escape(redacted(p.Output))
		c.report.Probed = append(c.report.Probed, p)
	}
	c.add(Probes, pass, sayAll(reasons))
	if !pass {
		c.step("Find out why what the handoff claims does not hold here, and tell its sender.")
	}
}

// printed writes what probes have printed, each in a frame.
func (r Report) printed(b *strings.Builder, room int) error {
	for _, p := range r.Probed {
		if p.Output == "" {
			continue
		}
		text := p.Output
		if over := len([]rune(text)) - room; over > 0 {
			text = string([]rune(text)[over:])
		}
		framed, err := form.Frame{Path: "probe"}.Wrap(text)
		if err != nil {
			return err
		}
		b.WriteString("\nThe end of what the probe " + p.Probe + " printed:\n" + framed.Text)
	}
	return nil
}
