package agent

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
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

// readScript finds our commands in a script. It refuses one that is not ours.
func (s settings) readScript() error {
	if len(s.src) == 0 {
		return nil
	}
	head, _, _ := strings.Cut(opencode, "COMMANDS")
	line, isOurs := strings.CutPrefix(string(s.src), head)
	line, _, _ = strings.Cut(line, "\n")
	var commands map[Event][]string
	isOurs = isOurs && json.Unmarshal([]byte(line), &commands) == nil
	for _, sl := range s.slots {
		words := commands[sl.event]
		if !isOurs || !isHook(words) {
			return fault.Config("rename it; nothing was changed", "%s is not a plugin that handoff has written", s.path)
		}
		s.ours[sl] = []found{{words: words}}
	}
	return nil
}
