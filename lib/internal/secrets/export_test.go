package secrets

import (
	"fmt"
	"slices"
	"strings"
)

// Meets reports whether the rule of a block of rules.txt meets a text by itself.
func Meets(block int, text string) (met bool) {
	rules().words.each(text, func(at, rule int) {
		_, ok := rules().rules[rule].match(text, at)
		met = met || ok && rule == block
	})
	return met
}

// Blocks returns the names of the rules, one for each block of rules.txt.
func Blocks() (names []string) {
	all := rules().rules
	for i := range all {
		names = append(names, all[i].name)
	}
	return names
}

// CheckTable says which line of rules.txt nobody reads, and compiles every expression; one that is wrong panics.
func CheckTable() error {
	keys := strings.Fields("# let list rule word then value match before bits words judge yes no")
	for line := range strings.Lines(source) {
		if key, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); key != "" && !slices.Contains(keys, key) {
			return fmt.Errorf("rules.txt: %q is no key", line)
		}
	}
	all := rules().rules
	for i := range all {
		all[i].ready()
	}
	return nil
}
