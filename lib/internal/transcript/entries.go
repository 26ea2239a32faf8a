package transcript

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// An extracting is an extract in the making.
type extracting struct{ Extract }

// An entry has the fields of all known forms of a line. A field of another type is left out.
type entry struct {
	Type    string
	Message field[message] // Claude Code
	Payload field[payload] // Codex CLI
	Data    field[payload] // Copilot CLI

	Content   json.RawMessage // Gemini CLI
	ToolCalls field[[]call]

	GitBranch                              field[string]
	IsMeta, IsSidechain, IsCompactSummary  field[bool]
	IsVisibleInTranscriptOnly, ToolUseMeta field[bool]
}

// A message is a message of Claude Code. Content is a string or a list of parts.
type message struct {
	Role    string
	Content json.RawMessage
}

// A part is a part of a message.
type part struct {
	Type      string
	Text      string
	ID        string
	Name      string
	Input     json.RawMessage
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage // of a result
	IsError   bool            `json:"is_error"`
}

// A payload is the content of a line of Codex CLI or Copilot CLI.
type payload struct {
	Type      string
	Message   field[string]
	Content   field[string]
	Name      string
	ToolName  string
	CallID    string `json:"call_id"`
	ToolID    string `json:"toolCallId"`
	Arguments json.RawMessage
	Input     field[string]
	Output    json.RawMessage
	Success   *bool
	Result    json.RawMessage
	Git       field[struct{ Branch string }]
}

// A call is a call of a tool of Gemini CLI.
type call struct {
	Name   string
	Args   json.RawMessage
	Status string
	Result json.RawMessage
}

// arguments are the arguments of a tool in all known forms.
type arguments struct {
	Command  json.RawMessage // a string or a list of words
	Cmd      string
	FilePath string `json:"file_path"`
	Notebook string `json:"notebook_path"`
	Path     string
}

// A field is a value that counts as missing if it has another type.
type field[T any] struct{ Value T }

func (f *field[T]) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &f.Value) != nil {
		f.Value = *new(T)
	}
	return nil
}

// add adds one line or message. It skips what it does not understand.
func (x *extracting) add(text []byte) {
	var e entry
	if json.Unmarshal(text, &e) != nil || e.IsSidechain.Value {
		return
	}
	if b := e.GitBranch.Value; b != "" {
		x.Branch = line(b, maxCommand)
	}
	m := e.Message.Value
	switch {
	case e.Type == "user" && m.Role == "user":
		x.user(m.Content, e.IsMeta.Value || e.IsCompactSummary.Value)
	case e.Type == "assistant" && m.Content != nil:
		for _, p := range partsOf(m.Content) {
			if p.Type == "tool_use" {
				x.tool(p.Name, p.ID, p.Input)
			}
		}
	case e.Type == "user" && e.Content != nil:
		x.word(textOf(e.Content))
	case e.ToolCalls.Value != nil:
		for i, c := range e.ToolCalls.Value {
			id := strconv.Itoa(len(x.Commands)) + "/" + strconv.Itoa(i)
			x.tool(c.Name, id, c.Args)
			x.end(id, string(c.Result), c.Status == "error")
		}
	case strings.Contains(e.Type, "."): // Copilot CLI
		p := e.Data.Value
		p.Type, p.CallID = e.Type, p.ToolID
		x.payload(p)
	default:
		x.payload(e.Payload.Value)
	}
}

// user adds a message of the user, and the results of tools in it.
func (x *extracting) user(content json.RawMessage, meta bool) {
	for _, p := range partsOf(content) {
		switch {
		case p.Type == "tool_result":
			x.end(p.ToolUseID, textOf(p.Content), p.IsError)
		case p.Type == "text" && !meta:
			x.word(p.Text)
		}
	}
}

// payload adds a line of Codex CLI or Copilot CLI.
func (x *extracting) payload(p payload) {
	if b := p.Git.Value.Branch; b != "" {
		x.Branch = line(b, maxCommand)
	}
	switch p.Type {
	case "user_message":
		x.word(p.Message.Value)
	case "user.message":
		x.word(p.Content.Value)
	case "function_call", "tool.execution_start":
		x.tool(p.Name+p.ToolName, p.CallID, unquote(p.Arguments))
	case "custom_tool_call":
		x.patch(p.Input.Value)
	case "function_call_output":
		x.end(p.CallID, textOf(p.Output), false)
	case "tool.execution_complete":
		x.end(p.CallID, string(p.Result), p.Success != nil && !*p.Success)
	}
}

// word adds what the user wrote. Text that begins with a tag, or with a note in brackets, is from the agent.
func (x *extracting) word(text string) {
	text = strings.TrimSpace(text)
	if text != "" && text[0] != '<' && !strings.HasPrefix(text, "[Request interrupted") {
		x.Words = append(x.Words, line(text, maxMessage))
	}
}

// tool adds the call of a tool: a command, or a change of files.
func (x *extracting) tool(name, id string, args json.RawMessage) {
	var a arguments
	if json.Unmarshal(args, &a) != nil {
		return
	}
	name = strings.ToLower(name)
	command := a.Cmd
	if command == "" {
		command = commandOf(a.Command)
	}
	switch {
	case strings.Contains(command, "*** Begin Patch"):
		x.patch(command)
	case command != "":
		x.Commands = append(x.Commands, Command{Line: line(command, maxCommand), call: id})
	case slices.Contains(changing, name):
		for _, path := range []string{a.FilePath, a.Notebook, a.Path} {
			x.file(path)
		}
	}
}

// changing has the tools that change the file of their arguments.
var changing = []string{"edit", "write", "multiedit", "notebookedit", "write_file", "replace", "create", "str_replace"}

var patched = form.Pattern(`(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$`)

// patch adds the files that a patch of Codex CLI changes.
func (x *extracting) patch(text string) {
	for _, found := range patched().FindAllStringSubmatch(text, maxFiles) {
		x.file(found[1])
	}
}

// file adds a changed file, once.
func (x *extracting) file(path string) {
	if path = line(path, maxMessage); path != "" {
		x.Files = append(slices.DeleteFunc(x.Files, func(p string) bool { return p == path }), path)
	}
}

var exitCode = form.Pattern(`(?i)\bexit(?:ed with)?[ _]code\\?"?:? *(-?\d{1,10})`)

// end sets the exit code of the command of a call. The agents write it into the result; Claude Code only if it
// is not 0.
func (x *extracting) end(id, result string, failed bool) {
	i := slices.IndexFunc(x.Commands, func(c Command) bool { return c.call == id && id != "" })
	if i < 0 {
		return
	}
	head := result[:min(len(result), 400)]
	tail := result[max(len(result)-400, 0):]
	found := exitCode().FindStringSubmatch(head)
	if found == nil {
		found = exitCode().FindStringSubmatch(tail)
	}
	switch {
	case failed && found != nil:
		x.Commands[i].Exit = found[1]
	case failed:
		x.Commands[i].Exit = "failed"
	case found != nil:
		x.Commands[i].Exit = found[1]
	case strings.HasPrefix(id, "toolu_") && !strings.Contains(head, "running in background"):
		x.Commands[i].Exit = "0"
	}
}

// commandOf returns a command as one text. Of a list that a shell runs, it is the script.
func commandOf(command json.RawMessage) string {
	var text string
	var words []string
	if json.Unmarshal(command, &text) == nil {
		return text
	}
	if json.Unmarshal(command, &words) != nil {
		return ""
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// partsOf returns the parts of a message. A string is one part.
func partsOf(content json.RawMessage) []part {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []part{{Type: "text", Text: text}}
	}
	var raw []json.RawMessage
	_ = json.Unmarshal(content, &raw) // another type has no parts
	var parts []part
	for _, r := range raw {
		var p part
		if json.Unmarshal(r, &p) == nil {
			parts = append(parts, p)
		}
	}
	return parts
}

// textOf returns the text of a string, of parts, or of another value as it is.
func textOf(content json.RawMessage) string {
	parts := partsOf(content)
	if parts == nil {
		return string(content)
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// unquote returns the JSON in a JSON string, or the value itself.
func unquote(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return json.RawMessage(text)
	}
	return value
}
