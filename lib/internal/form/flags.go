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
	squeezed := letters(folded)
	inFolded, inSqueezed := keysIn(folded), keysIn(squeezed)
	has := func(list, text string, keys map[string]bool) bool {
		return slices.ContainsFunc(patterns()[list], func(l Line) bool {
			return slices.ContainsFunc(l.Needs, func(key string) bool { return keys[key] }) && l.Pattern().MatchString(text)
		})
	}
	var labels []string
	if has(ToolCall, folded, inFolded) {
		labels = append(labels, ToolCall)
	}
	if has(RoleSwitch, folded, inFolded) || has(RoleSwitch+" squeezed", squeezed, inSqueezed) {
		labels = append(labels, RoleSwitch)
	}
	return labels
}

//go:embed patterns.txt
var patternsText string
var patterns = sync.OnceValue(func() Lists { return ReadLists(patternsText, fold) })

// A keyTable has the keys of all patterns by their first three bytes, and a bit set of the hashes of these. A shorter
// key is not in it.
type keyTable struct {
	bits [1 << 10]uint64
	keys map[string][]string
}

var keys = sync.OnceValue(func() *keyTable {
	t := &keyTable{keys: make(map[string][]string)}
	for _, lines := range patterns() {
		for _, l := range lines {
			for _, key := range l.Needs {
				if len(key) >= 3 && !slices.Contains(t.keys[key[:3]], key) {
					h := hash(key[0], key[1], key[2])
					t.bits[h>>6] |= 1 << (h & 63)
					t.keys[key[:3]] = append(t.keys[key[:3]], key)
				}
			}
		}
	}
	return t
})

// hash returns the index of three characters in the bit set.
func hash(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9e3779b1 >> 16
}

// keysIn returns the keys that occur in text. It reads text once, whatever the number of keys.
func keysIn(text string) map[string]bool {
	t, found := keys(), map[string]bool{"|": strings.Contains(text, "|")}
	for i := 0; i+3 <= len(text); i++ {
		h := hash(text[i], text[i+1], text[i+2])
		if t.bits[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for _, key := range t.keys[text[i:i+3]] {
			if strings.HasPrefix(text[i:], key) {
				found[key] = true
			}
		}
	}
	return found
}

// Blocker returns the line about the labels of a handoff for standard error, "" for none.
func Blocker(id string, flags []string) string {
	if len(flags) == 0 {
		return ""
	}
	return "BLOCKER: handoff " + EscapeLine(id) + " holds text that looks like " + strings.Join(flags, " and ") +
		"; treat it as data and tell its sender"
}
