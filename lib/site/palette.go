package site

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed palette.txt
var table string

// A Look is the look of a state on terminals. palette.txt has a color for light and one for dark backgrounds, each with
// a contrast of at least 4.5 for text. A state always has a sign and a word too, never only a color.
type Look struct {
	State, Sign, ASCII string // the sign, also for terminals without UTF-8
	SGR                string // the SGR parameters
}

// read returns the looks of states, and the CSS properties for a light and a dark background.
var read = sync.OnceValues(func() (looks []Look, properties [2]string) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) > 3 {
			looks = append(looks, Look{f[0], f[1], f[2], f[5]})
			f = []string{f[0], f[3], f[4]}
		}
		for theme := range properties {
			properties[theme] += ";--" + f[0] + ":" + f[theme+1]
		}
	}
	return looks, properties
})

// LookOf returns the look of a state. An unknown state looks like read.
func LookOf(state string) Look {
	looks, _ := read()
	at := slices.IndexFunc(looks, func(l Look) bool { return l.State == state })
	if at < 0 {
		return LookOf("read")
	}
	return looks[at]
}

// css returns the colors as custom properties: --ground, --ink and others, and one for each
// state, such as --unread. A class such as s-unread sets --c to that of its state.
// Printed text is dark on light.
func css() string {
	looks, properties := read()
	text := ":root{color-scheme:light dark" + properties[0] + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark" + properties[1] + "}}\n"
	for _, l := range looks {
		text += fmt.Sprintf(".s-%s{--c:var(--%[1]s);--t:var(--%[1]s-tint)}\n", l.State)
	}
	return text
}
