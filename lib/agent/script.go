package agent

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// opencode is the plugin for an agent that has scripts in place of settings. The whole file is ours. COMMANDS stands
// for the command of each event.
//
//go:embed opencode.js
var opencode string

// script returns the plugin with the commands that it runs.
func (a Agent) script(c Command) []byte {
	commands := make(map[Event][]string)
	for _, sl := range a.slots() {
		commands[sl.event] = c.words(a.Name, sl.event)
	}
	return []byte(withCommands(string(jsontree.Encode(commands, ""))))
}

func withCommands(text string) string { return strings.Replace(opencode, "COMMANDS", text, 1) }

// inScript returns our command for a slot. It refuses a script that is not ours. One that does not end as ours may do
// more than run the command.
func inScript(sl slot, file string, text []byte) ([]found, error) {
	if len(text) == 0 {
		return nil, nil
	}
	head, _, _ := strings.Cut(opencode, "COMMANDS")
	line, isOurs := strings.CutPrefix(string(text), head)
	line, _, _ = strings.Cut(line, "\n")
	var commands map[Event][]string
	if !isOurs || json.Unmarshal([]byte(line), &commands) != nil || !isOf(commands[sl.event], sl.event) {
		return nil, refuse("rename it; nothing was changed", "%s is not a plugin that handoff has written", file)
	}
	f := found{words: commands[sl.event]}
	if string(text) != withCommands(line) {
		f.off = "it is not the plugin that this handoff writes, and may do more: run `handoff install opencode` again"
	}
	return []found{f}, nil
}
