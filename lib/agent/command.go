package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
)

// A Command is what is registered with an agent.
type Command struct {
	Program  string // the absolute path of handoff
	Operator string // of the sessions; "" lets the settings decide
	MCP      bool   // registers the server for the Model Context Protocol too
}

const serverName = "handoff"

// hook returns the words that run the hook of an event.
func (c Command) hook(a Agent, event string) []string {
	words := []string{c.Program, "hook", event, "--agent", a.Name}
	if c.Operator != "" {
		words = append(words, "--operator", c.Operator)
	}
	return words
}

// server returns the entry of our server.
func (a Agent) server(c Command) string {
	entry := fillWords(a.Server.Entry, []string{c.Program, "mcp"})
	if c.Operator != "" {
		env := quote(a.Server.Env) + `: {"HANDOFF_OPERATOR": ` + quote(c.Operator) + `}`
		entry = strings.TrimSuffix(entry, "}") + ", " + env + "}"
	}
	return entry
}

// fillWords returns a template with the words of a command.
func fillWords(template json.RawMessage, words []string) string {
	quoted := make([]string, len(words))
	power := make([]string, len(words))
	for i, word := range words {
		quoted[i], power[i] = quote(word), "'"+strings.ReplaceAll(word, "'", "''")+"'"
	}
	return fill(template, "PROGRAM", quoted[0], "ARGS", strings.Join(quoted[1:], ", "),
		"LINE", quote(shellquote.Join(words...)), "& POWERSHELL", quote("& "+strings.Join(power, " ")))
}

// quote returns a text as JSON, as people write it.
func quote(text string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can be encoded
	return strings.TrimSuffix(out.String(), "\n")
}

// ServerCommand returns the line for a shell with which the agent adds our server, or "" if Install adds it.
func (a Agent) ServerCommand(c Command, isProject bool) string {
	line := a.AddServer["user"]
	if isProject {
		line = a.AddServer["project"]
	}
	if line == "" {
		return ""
	}
	var words []string
	if c.Operator != "" {
		words = append(words, a.AddServer["env"], "HANDOFF_OPERATOR="+c.Operator)
	}
	return line + " " + shellquote.Join(append(words, "--", c.Program, "mcp")...)
}

// wordsOf returns the words of the command that an entry runs, nil if it does more than run one program.
func wordsOf(entry string) []string {
	var e struct {
		Command json.RawMessage
		Bash    string
		Args    []string
	}
	if json.Unmarshal([]byte(entry), &e) != nil {
		return nil
	}
	var words []string
	if json.Unmarshal(e.Command, &words) == nil && words != nil {
		return words
	}
	line := e.Bash
	_ = json.Unmarshal(e.Command, &line) // an entry without it has bash
	if e.Args != nil {
		return append([]string{line}, e.Args...)
	}
	words, err := shellquote.Split(line)
	if err != nil || shellquote.Join(words...) != line {
		return nil
	}
	return words
}

// operatorOf returns the operator that registered words name, "" if there is none.
func operatorOf(words []string) string {
	if at := slices.Index(words, "--operator"); at >= 0 && at+1 < len(words) {
		return words[at+1]
	}
	return ""
}
