// Package palette is how states and people look wherever they are shown: on the pages of the site, in pictures of
// threads, on terminals. Each colour has one form for light ground and one for dark ground; text has a contrast of at
// least 4.5 to what it stands on. A state is never shown by its colour alone: it has a sign, and its word is near.
package palette

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed palette.txt
var table string

// A Look is what a state is shown with. Pairs are for light and for dark ground.
type Look struct {
	State, Sign, ASCII string    // the sign, also for terminals without UTF-8
	Ink, Tint          [2]string // of text, marks and lines, and of the ground behind them, as #rrggbb
	Of256              [2]string // the number of the colour on terminals with 256 of them
	Of16               [2]string // the parameters of SGR on terminals with 16 colours
}

// read returns the looks of states, and a line of CSS with the properties for light and for dark ground.
var read = sync.OnceValues(func() (looks []Look, properties [2]string) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) > 3 {
			pair := func(at int) [2]string { return [2]string{f[at], f[at+1]} }
			looks = append(looks, Look{f[0], f[1], f[2], pair(3), pair(5), pair(7), pair(9)})
			f = []string{f[0], f[3] + ";--" + f[0] + "-t:" + f[5], f[4] + ";--" + f[0] + "-t:" + f[6]}
		}
		for theme := range properties {
			properties[theme] += ";--" + f[0] + ":" + f[theme+1]
		}
	}
	return looks, properties
})

// Of returns the look of a state. A state that is not known looks read.
func Of(state string) Look {
	looks, _ := read()
	at := slices.IndexFunc(looks, func(l Look) bool { return l.State == state })
	if at < 0 {
		return Of("read")
	}
	return looks[at]
}

// CSS returns the colours as custom properties: --ground, --ink, --d1 to --d8 and the like, a pair such as --unread
// and --unread-t for each state, and a class such as s-unread that makes the pair of its state --c and --t. Printed
// text is dark on light.
func CSS() string {
	looks, properties := read()
	css := ":root{color-scheme:light dark" + properties[0] + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark" + properties[1] + "}}\n"
	for _, l := range looks {
		css += fmt.Sprintf(".s-%s{--c:var(--%[1]s);--t:var(--%[1]s-t)}\n", l.State)
	}
	return css
}

// A Person is how somebody is shown: a disc with initials, the disc of an agent with corners.
type Person struct {
	Name, Initials string
	Disc           string // the name of its colour, "" for none: then it is whoever works next
	IsAgent        bool
}

// People returns how to show the people of these names, in the order in which they first appear. After eight the
// colours begin again.
func People(names []string) []Person {
	all := make([]Person, len(names))
	for i, name := range names {
		all[i] = Person{name, initials(name), fmt.Sprint("d", i%8+1), isAgent(name)}
		if name == "next" {
			all[i].Initials, all[i].Disc = "", ""
		}
	}
	return all
}

// initials are two letters, or a letter and a number: An, C1.
func initials(name string) string {
	digits := name[len(strings.TrimRight(name, "0123456789")):]
	first, size := utf8.DecodeRuneInString(name)
	if digits != "" && len(digits) < len(name) {
		return string(unicode.ToUpper(first)) + digits[:min(len(digits), 2)]
	}
	second, _ := utf8.DecodeRuneInString(name[size:] + " ")
	return strings.TrimSpace(string(unicode.ToUpper(first)) + string(second))
}

// agents are words in the names of programs that hand work over.
const agents = "agent aider amp bot claude codex copilot cursor devin gemini goose gpt kiro opencode qwen windsurf"

// isAgent reports whether a name is one that people give to a program.
func isAgent(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(strings.Fields(agents), word) })
}
