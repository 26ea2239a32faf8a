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

// get follows names into a JSON value: with a and b it returns v.a.b. Where a name is missing it returns nil.
func get(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// str is get for a string, "" if the value has another type.
func str(v any, path ...string) string {
	text, _ := get(v, path...).(string)
	return text
}

// isSet is get for a boolean, false if the value has another type.
func isSet(v any, path ...string) bool {
	set, _ := get(v, path...).(bool)
	return set
}

// add adds one line or message. It skips what it does not understand.
func (x *extracting) add(text []byte) {
	var e any
	if json.Unmarshal(text, &e) != nil || isSet(e, "isSidechain") {
		return
	}
	x.branch(str(e, "gitBranch"))
	kind, said := str(e, "type"), get(e, "message", "content")
	calls, _ := get(e, "toolCalls").([]any)
	switch {
	case kind == "user" && str(e, "message", "role") == "user": // Claude Code
		x.user(said, isSet(e, "isMeta") || isSet(e, "isCompactSummary"))
	case kind == "assistant" && said != nil:
		for _, p := range partsOf(said) {
			if str(p, "type") == "tool_use" {
				x.tool(str(p, "name"), str(p, "id"), get(p, "input"))
			}
		}
	case kind == "user" && get(e, "content") != nil: // Gemini CLI
		x.word(textOf(get(e, "content")))
	case calls != nil:
		for i, c := range calls {
			id := strconv.Itoa(len(x.Commands)) + "/" + strconv.Itoa(i)
			x.tool(str(c, "name"), id, get(c, "args"))
			x.end(id, raw(get(c, "result")), str(c, "status") == "error")
		}
	case strings.Contains(kind, "."): // Copilot CLI
		x.payload(kind, str(e, "data", "toolCallId"), get(e, "data"))
	default: // Codex CLI
		x.payload(str(e, "payload", "type"), str(e, "payload", "call_id"), get(e, "payload"))
	}
}

// branch notes the branch that the agent has named last.
func (x *extracting) branch(name string) {
	if name != "" {
		x.Branch = line(name, maxCommand)
	}
}

// user adds a message of the user, and the results of tools in it.
func (x *extracting) user(content any, meta bool) {
	for _, p := range partsOf(content) {
		switch kind := str(p, "type"); {
		case kind == "tool_result":
			x.end(str(p, "tool_use_id"), textOf(get(p, "content")), isSet(p, "is_error"))
		case kind == "text" && !meta:
			x.word(str(p, "text"))
		}
	}
}

// payload adds the content of a line of Codex CLI or Copilot CLI.
func (x *extracting) payload(kind, id string, p any) {
	x.branch(str(p, "git", "branch"))
	switch kind {
	case "user_message":
		x.word(str(p, "message"))
	case "user.message":
		x.word(str(p, "content"))
	case "function_call", "tool.execution_start":
		args := get(p, "arguments")
		_ = json.Unmarshal([]byte(str(p, "arguments")), &args) // of Codex CLI, a JSON text
		x.tool(str(p, "name")+str(p, "toolName"), id, args)
	case "custom_tool_call":
		x.patch(str(p, "input"))
	case "function_call_output":
		x.end(id, textOf(get(p, "output")), false)
	case "tool.execution_complete":
		x.end(id, raw(get(p, "result")), get(p, "success") == false)
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
func (x *extracting) tool(name, id string, args any) {
	command := str(args, "cmd")
	if command == "" {
		command = commandOf(get(args, "command"))
	}
	switch {
	case strings.Contains(command, "*** Begin Patch"):
		x.patch(command)
	case command != "":
		x.Commands = append(x.Commands, Command{Line: line(command, maxCommand), call: id})
	case slices.Contains(changing, strings.ToLower(name)):
		for _, key := range []string{"file_path", "notebook_path", "path"} {
			x.file(str(args, key))
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

// commandOf returns a command, a text or a list of words, as one text. Of a list that a shell runs, it is the script.
func commandOf(command any) string {
	list, _ := command.([]any)
	var words []string
	for _, word := range list {
		words = append(words, str(word))
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return str(command) + strings.Join(words, " ")
}

// partsOf returns the parts of a message. A string is one part.
func partsOf(content any) []any {
	if text := str(content); text != "" {
		return []any{map[string]any{"type": "text", "text": text}}
	}
	parts, _ := content.([]any)
	return parts
}

// textOf returns the text of a string, of parts, or of another value as it is.
func textOf(content any) string {
	parts := partsOf(content)
	if parts == nil {
		return raw(content)
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, str(p, "text"))
	}
	return strings.Join(texts, "\n")
}

// raw returns a JSON value as text.
func raw(v any) string {
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}
