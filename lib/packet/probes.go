package packet

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Probed claim is a claim with the result of its probe.
type Probed struct {
	Probe   string `json:"probe"`
	Verdict string `json:"verdict"` // confirmed, contradicted, not run, other work
	Pass    bool   `json:"pass"`    // false if the claim is contradicted
	Reason  string `json:"reason"`  // without quoted text
	Output  string `json:"output,omitempty"`
	Defined bool   `json:"-"` // the project has a probe of that name
}

// probes tests the claims of the artifact, if the check asks for it. Otherwise it notes that none ran.
func (c *checking) probes() {
	claimed := relation.Of(c.References).Probes
	switch {
	case c.o.Probe == nil && len(claimed) > 0:
		c.note("it claims that probes of the project passed; no probe ran to confirm that")
	case c.o.Probe != nil:
		c.probed(c.o.Probe(c.ID, c.References))
	}
}

func (c *checking) probed(all []Probed) {
	if len(all) == 0 {
		c.note("it has no claim for a probe to confirm")
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
		c.step("Find out why the claims of the handoff do not hold here, and tell its sender.")
	}
}

// printed writes the output of probes, each in a frame.
func (r Report) printed(b *strings.Builder, room int) {
	for _, p := range r.Probed {
		if p.Output == "" {
			continue
		}
		text := p.Output
		if over := len([]rune(text)) - room; over > 0 {
			text = string([]rune(text)[over:])
		}
		b.WriteString("\nThe end of the output of the probe " + p.Probe + ":\n" +
			form.Frame{Path: "probe"}.Wrap(text).Text)
	}
}
