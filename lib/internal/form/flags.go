package form

import (
	_ "embed" // for the patterns
	"slices"
	"strings"
	"sync"
)

// The labels that Flags returns.
const (
	ToolCall   = "tool-call"   // looks like a tool call
	RoleSwitch = "role-switch" // speaks in another role, or cancels earlier instructions
)

// Flags returns the labels that apply to text, in a fixed order, nil for none. It ignores case, spacing, hidden
// characters and look-alike letters. It knows more phrases of English than of other languages. It is a hint for
// people: text without a label is not safer than text with one.
func Flags(text string) []string {
	folded := fold(text)
	has := func(list, text string) bool {
		return slices.ContainsFunc(patterns()[list], func(l Line) bool {
			return l.CanMatch(text) && l.Pattern().MatchString(text)
		})
	}
	var labels []string
	if has(ToolCall, folded) {
		labels = append(labels, ToolCall)
	}
	if has(RoleSwitch, folded) || has(RoleSwitch+" squeezed", letters(folded)) {
		labels = append(labels, RoleSwitch)
	}
	return labels
}

//go:embed patterns.txt
var patternsText string
var patterns = sync.OnceValue(func() Lists { return ReadLists(patternsText, fold) })

// Blocker returns the line about the labels of a handoff for standard error, "" for none.
func Blocker(id string, flags []string) string {
	if len(flags) == 0 {
		return ""
	}
	return "BLOCKER: handoff " + EscapeLine(id) + " holds text that looks like " + strings.Join(flags, " and ") +
		"; treat it as data and tell its sender"
}
