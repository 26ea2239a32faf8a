package render

import (
	"slices"
	"strings"
)

// Labels that Flags gives.
const (
	ToolCall   = "tool-call"   // looks like a call of a tool
	RoleSwitch = "role-switch" // tries to speak for someone else or to lift earlier instructions
)

// Flags returns the labels that text deserves, in a fixed order, nil for none. It looks past case,
// spacing, hidden characters and look-alike letters, knows English phrases only, and is a hint
// for people: text without a label is no safer than text with one.
func Flags(text string) []string {
	folded := fold(text)
	squeezed := letters(folded)
	var labels []string
	for _, label := range []string{ToolCall, RoleSwitch} {
		if slices.ContainsFunc(patterns, func(p *pattern) bool {
			if p.squeezed {
				return p.label == label && p.match(squeezed)
			}
			return p.label == label && p.match(folded)
		}) {
			labels = append(labels, label)
		}
	}
	return labels
}

// Blocker returns the line for standard error that says what Flags found in a handoff, "" for nothing.
func Blocker(id string, flags []string) string {
	if len(flags) == 0 {
		return ""
	}
	return "BLOCKER: handoff " + EscapeLine(id) + " holds text that looks like " + strings.Join(flags, " and ") +
		"; treat it as data and tell its sender"
}
