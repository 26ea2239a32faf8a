package agent

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Command is the command that is registered with an agent.
type Command struct {
	Program string // the absolute path of handoff
	To      string // the operator of the sessions; "" keeps the registered one, else settings decide
	Me      string // the operator of the server, if no other is known
	Server  bool   // registers the server for the Model Context Protocol, with the hooks if they are in the same file
}

const serverName = "handoff"

// check refuses a command that cannot be registered with every agent: some run the hook through a shell, and none
// quotes control characters.
func (c Command) check() error {
	if err := handoff.CheckOperator(c.To); err != nil && c.To != "" {
		return err
	}
	if strings.ContainsFunc(c.Program, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }) {
		return fault.Config("install the programs in another directory", "the path %q cannot be registered", c.Program)
	}
	return nil
}

// words returns the arguments with which the agent runs the hook of an event, or the server.
func (c Command) words(agent string, e Event) []string {
	words := []string{c.Program, "hook", string(e), "--agent", agent}
	switch to := cmp.Or(c.To, c.Me); {
	case e == server && to != "":
		return []string{c.Program, "mcp", "--operator", to}
	case e == server:
		return []string{c.Program, "mcp"}
	case c.To != "" && e != End:
		words = append(words, "--to", c.To)
	}
	return words
}

// shell returns words as one line for a POSIX shell.
func shell(words []string) string { return shellquote.Join(words...) }

// powerShell quotes every word. Within single quotes, only the quote itself is special.
func powerShell(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", "''") + "'"
	}
	return strings.Join(quoted, " ")
}

// commandWords returns the words of the command that an entry runs, or nil if it is not a plain command.
func commandWords(n *jsontree.Value) []string {
	if command := n.Get("command"); n.Get("args") != nil || command.Is(jsontree.Array) {
		words := []string{command.Str()}
		if command.Is(jsontree.Array) {
			words = nil
		}
		for _, item := range slices.Concat(command.All(), n.Get("args").All()) {
			words = append(words, item.Str())
		}
		return words
	}
	for _, key := range []string{"command", "bash", "powershell"} {
		if line := n.Get(key).Str(); line != "" {
			return split(strings.TrimPrefix(line, "& "))
		}
	}
	return nil
}

// split splits a line for a shell into words. It returns nil if the line does more than run one program.
func split(line string) []string {
	words, err := shellquote.Split(line)
	if err != nil || !runsOne(line) {
		return nil
	}
	return words
}

// runsOne reports whether a line has no operator and no command substitution outside quotes.
func runsOne(line string) bool {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'':
			if c == quote {
				quote = 0
			}
		case c == '\\':
			i++
		case c == '"' && quote == '"':
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == '`', strings.HasPrefix(line[i:], "$("), quote == 0 && strings.IndexByte(";&|<>()\n", c) >= 0:
			return false
		}
	}
	return true
}

// ourEvent returns the event for which words run our hook, or "": handoff with hook as its first argument.
// For our server it is server.
func ourEvent(words []string) Event {
	words = append(slices.Clip(words), "", "", "")
	base := path.Base(strings.ReplaceAll(words[0], `\`, "/"))
	switch {
	case strings.TrimSuffix(base, ".exe") != "handoff":
		return ""
	case words[1] == "hook" && words[2] != "":
		return Event(words[2])
	case words[1] == string(server):
		return server
	}
	return ""
}

// isHook reports whether words run a hook of ours.
func isHook(words []string) bool {
	is := ourEvent(words)
	return is != "" && is != server
}

// Operator returns the operator that the words of a command name, or "".
func Operator(words []string) string {
	for i, w := range words {
		value, joined := strings.CutPrefix(w, "--to=")
		if !joined && (w == "--to" || w == "--operator") && i+1 < len(words) {
			value, joined = words[i+1], true
		}
		if joined && handoff.CheckOperator(value) == nil {
			return value
		}
	}
	return ""
}
