package tui

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
)

//go:embed keys.txt
var keysText string

// A binding is a line of keys.txt: a set of keys, and the words for their action.
type binding struct {
	keys  []string
	shown string // the keys in help; "" to leave them out
	does  string
	hint  string // one word for the bottom line; "" to leave it out
}

// bindings returns all keys except those of the prompt, in the order of help.
var bindings = sync.OnceValue(func() (all []binding) {
	for line := range strings.Lines(keysText) {
		if words := strings.Split(line, "|"); len(words) == 4 {
			for i, word := range words {
				words[i] = strings.TrimSpace(word)
			}
			all = append(all, binding{strings.Fields(words[0]), words[1], words[2], words[3]})
		}
	}
	return all
})

// actions maps the first key of each binding to its action.
var actions = map[string]func(*model) tea.Cmd{
	"enter": (*model).open, "t": act("take"), "d": act("done"), "r": reply, "n": writeNew,
	"u": (*model).undo, "s": (*model).sync, "b": (*model).toggleBoard, "/": (*model).startSearch, "esc": (*model).back,
	"tab": (*model).nextView,
	"j":   by(1, (*model).step), "k": by(-1, (*model).step),
	"l": by(1, (*model).sideways), "h": by(-1, (*model).sideways),
	"space": by(1, (*model).page), "pgup": by(-1, (*model).page),
	"g": by(-1<<30, (*model).step), "G": by(1<<30, (*model).step),
	"?": (*model).showHelp, "q": (*model).quit,
}

// by returns the action that moves by some places.
func by(places int, move func(*model, int) tea.Cmd) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { return move(m, places) }
}

// press runs the action of a key.
func (m *model) press(key string) tea.Cmd {
	for _, b := range bindings() {
		if slices.Contains(b.keys, key) {
			return actions[b.keys[0]](m)
		}
	}
	return nil
}
