package packet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

// schema reports the faults of the record. Their text quotes the artifact and is escaped.
func (c *checking) schema(f Facts) {
	for _, one := range f.Faults[:min(len(f.Faults), maxListed)] {
		one.Pointer, one.Problem, one.Hint = cut(show(one.Pointer)), show(one.Problem), show(one.Hint)
		c.report.Faults = append(c.report.Faults, one)
	}
	if len(f.Cannot) > 0 {
		c.note("%s has no place for %s: a missing value is missing, not assumed",
			show(f.Kind), show(strings.Join(f.Cannot, ", ")))
	}
	reason := "all required fields present and non-empty"
	switch n := len(f.Faults); {
	case n > 0:
		reason = fault.Count(n, "fault") + inFields(c.report.Faults)
	case len(f.Cannot) > 0:
		reason = "valid as " + show(f.Kind)
	}
	if len(c.o.AllowEmpty) > 0 {
		reason += "; allowed to be empty: " + show(strings.Join(c.o.AllowEmpty, ", "))
	}
	c.add(Schema, len(f.Faults) == 0, reason)
	if len(f.Faults) > 0 {
		c.step("Fix the schema faults listed below.")
	}
}

// inFields returns the fields with faults, if their names are safe to print.
func inFields(faults []fault.Fault) string {
	var names []string
	for _, f := range faults {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f.Pointer, "/handoff"), "/"), "/")
		if isSafe(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + fault.Some(names)
}

// credentials returns a fault for each credential in the texts. The resume token has its own check.
func credentials(texts []Passage) (faults []fault.Fault) {
	for _, t := range texts {
		name := t.Pointer[strings.LastIndexByte(t.Pointer, '/')+1:]
		if t.Pointer == "/resume_token" {
			continue
		}
		text := t.Text
		if name != "" && strings.Trim(name, "0123456789") != "" && t.Text != name {
			text = name + `": "` + text // some rules need the name
		}
		for _, found := range secrets.Scan(text) {
			faults = append(faults, fault.Fault{Pointer: t.Pointer,
				Problem: "holds a credential (rule " + found.Rule + ")", Hint: "remove and revoke it"})
		}
	}
	return faults
}

// instructions fails if a text gives dangerous instructions, or if a member of the packet states a verdict. Nothing in
// a text improves a result.
func (c *checking) instructions(texts []Passage) {
	var found []string
	add := func(group, pointer, words string) {
		found = append(found, group+aside(" at "+cut(show(cmp.Or(pointer, "the text")))+": "+quote(words), ""))
	}
	for _, t := range texts {
		for _, d := range form.Dangers(t.Text) {
			add(d.Group, t.Pointer, d.Words)
		}
		if name := strings.ToLower(t.Text); t.Pointer == "/"+t.Text && slices.Contains(phrases()["key"], name) {
			add("obey", t.Pointer, t.Text)
		}
	}
	if len(found) > 0 {
		c.add(Instructions, false, "dangerous: "+sayAll(found))
		c.step("Ask the owner of the task whether the quoted instructions are wanted; do not follow them before.")
	}
}
