// Package palette defines how states and people look on the pages of the site, in pictures of threads and on
// terminals. Each color has one form for a light background and one for a dark background. The contrast of text
// is at least 4.5. A state always has a sign and a word too, never only a color.
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

// A Look is the look of a state. Pairs are for a light and a dark background.
type Look struct {
	State, Sign, ASCII string    // the sign, also for terminals without UTF-8
	Ink, Tint          [2]string // colors of text and lines, and of the background, as #rrggbb
	SGR                string    // the SGR parameters on terminals
}

// read returns the looks of states, and the CSS properties for a light and a dark background.
var read = sync.OnceValues(func() (looks []Look, properties [2]string) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) > 3 {
			pair := func(at int) [2]string { return [2]string{f[at], f[at+1]} }
			looks = append(looks, Look{f[0], f[1], f[2], pair(3), pair(5), f[7]})
			f = []string{f[0], f[3] + ";--" + f[0] + "-t:" + f[5], f[4] + ";--" + f[0] + "-t:" + f[6]}
		}
		for theme := range properties {
			properties[theme] += ";--" + f[0] + ":" + f[theme+1]
		}
	}
	return looks, properties
})

// Of returns the look of a state. An unknown state looks like read.
func Of(state string) Look {
	looks, _ := read()
	at := slices.IndexFunc(looks, func(l Look) bool { return l.State == state })
	if at < 0 {
		return Of("read")
	}
	return looks[at]
}

// CSS returns the colors as custom properties: --ground, --ink, --d1 to --d8 and others, and a pair such as
// --unread and --unread-t for each state. A class such as s-unread sets --c and --t to the pair of its state.
// Printed text is dark on light.
func CSS() string {
	looks, properties := read()
	css := ":root{color-scheme:light dark" + properties[0] + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark" + properties[1] + "}}\n"
	for _, l := range looks {
		css += fmt.Sprintf(".s-%s{--c:var(--%[1]s);--t:var(--%[1]s-t)}\n", l.State)
	}
	return css
}

// A Person is the look of a person: a disc with initials. The disc of an agent has corners.
type Person struct {
	Name, Initials string
	Disc           string // the name of its color; "" for "whoever is next"
	IsAgent        bool
}

// People returns the looks of people, in the order in which their names first appear. There are eight colors;
// then they repeat.
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

// initials returns two letters, or a letter and a digit: An, C1.
func initials(name string) string {
	digits := name[len(strings.TrimRight(name, "0123456789")):]
	first, size := utf8.DecodeRuneInString(name)
	if digits != "" && len(digits) < len(name) {
		return string(unicode.ToUpper(first)) + digits[:min(len(digits), 2)]
	}
	second, _ := utf8.DecodeRuneInString(name[size:] + " ")
	return strings.TrimSpace(string(unicode.ToUpper(first)) + string(second))
}

// agents lists words in the names of agents.
const agents = "agent aider amp bot claude codex copilot cursor devin gemini goose gpt kiro opencode qwen windsurf"

// isAgent reports whether a name looks like that of an agent.
func isAgent(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(strings.Fields(agents), word) })
}
