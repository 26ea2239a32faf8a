package agent

import (
	"cmp"
	_ "embed" // for the skill and the commands
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

//go:embed skill.md
var skill string

//go:embed handoff.md
var handOver string

//go:embed pickup.md
var pickUp string

const (
	packageVersion = "1.0.0"
	description    = "Shows a starting session its unread handoffs, teaches it to take over and hand over work, and keeps a draft if it dies"
	repository     = "https://github.com/seed-78daf238/handoff"
	license        = "Apache-2.0"
)

// Published returns the files in hooks/, by their path there: the scripts, the plugin for Claude Code,
// Codex and Copilot CLI with its marketplace, the extension for Gemini CLI, and for each agent an
// example of settings that name no path of one machine. They derive from the table that installing
// uses; no program needs them, so that the test which writes them is where they are made.
func Published() map[string]string {
	claude, _ := find("claude")
	codex, _ := find("codex")
	gemini, _ := find("gemini")
	files := map[string]string{
		"session-start.sh": script("Session-start hook for any agent that runs a program and shows its output: prints the unread handoffs\n"+
			"# of the project in the current directory.", `hook session-start --agent plain "$@" </dev/null`),
		"save-draft.sh": script("Hook for the end of a session or of a turn, or after a compaction: saves a draft from the agent's standard input.\n"+
			"# --agent NAME names the agent.", `hook stop "$@"`),

		".claude-plugin/marketplace.json": indented(struct {
			Name        string            `json:"name"`
			Description string            `json:"description"`
			Owner       map[string]string `json:"owner"`
			Plugins     []map[string]any  `json:"plugins"`
		}{"handoff", description, owner(), []map[string]any{{"name": "handoff", "source": "./claude-plugin", "description": description, "version": packageVersion}}}),
		"claude-plugin/.claude-plugin/plugin.json": indented(struct {
			Name        string            `json:"name"`
			Version     string            `json:"version"`
			Description string            `json:"description"`
			Author      map[string]string `json:"author"`
			Repository  string            `json:"repository"`
			License     string            `json:"license"`
		}{"handoff", packageVersion, description, owner(), repository, license}),
		"claude-plugin/.codex-plugin/plugin.json": indented(struct {
			Name        string `json:"name"`
			Version     string `json:"version"`
			Description string `json:"description"`
			Hooks       string `json:"hooks"`
			Skills      string `json:"skills"`
		}{"handoff", packageVersion, description, "./hooks/codex.json", "./skills/"}),
		"claude-plugin/hooks/codex.json":         indented(codex.everyHook()),
		"claude-plugin/hooks/hooks.json":         indented(claude.everyHook()),
		"claude-plugin/skills/handoffs/SKILL.md": strings.Replace(skill, "\n---\n", "\nallowed-tools: "+allowed()+"\n---\n", 1),

		"gemini-extension/gemini-extension.json": indented(struct {
			Name        string `json:"name"`
			Version     string `json:"version"`
			Description string `json:"description"`
		}{"handoff", packageVersion, description}),
		"gemini-extension/hooks/hooks.json":         indented(gemini.everyHook()),
		"gemini-extension/skills/handoffs/SKILL.md": skill,
	}
	for name, c := range commands {
		files["claude-plugin/skills/"+name+"/SKILL.md"] = c.skill(name)
		files["gemini-extension/commands/"+name+".toml"] = c.toml()
	}
	for _, a := range agents()[1:] {
		if a.has("entry") {
			files["examples/"+a.Name+".json"] = indented(a.everyHook())
		} else {
			files["examples/"+a.Name+".js"] = string(a.script(Command{Program: "handoff"}))
		}
	}
	return files
}

// A command is what a person types in an agent for it to do.
type command struct{ what, hint, text string }

var commands = map[string]command{
	"handoff": {"Hand this work over, in a packet that passes its check", "[to whom] [about what]", handOver},
	"pickup":  {"Take over work: show what is unread, read, check, take", "[id, topic or sender]", pickUp},
}

// skill is a command as a skill, which Claude Code and Codex run by its name: that of a command in a
// plugin would begin with the plugin's.
func (c command) skill(name string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %q\nargument-hint: %q\nallowed-tools: %s\n---\n\n%s\nThe text of the command: $ARGUMENTS\n",
		name, c.what, c.hint, allowed(), c.text)
}

// safe has the subcommands that a session may run without being asked. A rule allows all flags of its command, so
// watch, which runs programs with --exec, is not among them.
var safe = []string{"next", "list", "read", "status", "search", "thread", "take", "release", "done", "reply", "mark-read",
	"new", "operators list", "draft show"}

// allowed returns the tools of a skill, as Claude Code reads them.
func allowed() string {
	rules := make([]string, len(safe))
	for i, command := range safe {
		rules[i] = "Bash(handoff " + command + ":*)"
	}
	return strings.Join(rules, ", ")
}

// toml is a command of Gemini CLI. What stands between three quotes is not read, but for the arguments.
func (c command) toml() string {
	return fmt.Sprintf("description = %q\nprompt = '''\n%s\nThe text of the command: {{args}}\n'''\n", c.what, c.text)
}

// owner is who the marketplaces of plugins name.
func owner() map[string]string { return map[string]string{"name": "The handoff maintainers"} }

// everyHook returns settings with the hooks of a session's start and end, of prompts and tools, and of what the agent
// says.
func (a Agent) everyHook() any {
	hooks := jsontree.NewObject()
	for _, sl := range a.slots() {
		if hooks.Get(sl.name) == nil {
			hooks.Set(sl.name, jsontree.NewArray())
		}
		list := hooks.Get(sl.name)
		list.Items = append(list.Items, a.item(a.portable(sl.event)))
	}
	settings := jsontree.NewObject()
	if a.has("versioned") {
		settings.Set("version", &jsontree.Value{Kind: jsontree.Number, Text: "1"})
	}
	settings.Set(cmp.Or(a.get("key"), "hooks"), hooks)
	return json.RawMessage(settings.Append(nil))
}

// portable returns the entry for an event that gives a line to a POSIX shell.
func (a Agent) portable(of Event) *jsontree.Value {
	line, e := a.packaged(of), a.entry(of, []string{""})
	e.Delete("args")
	e.Delete("powershell")
	for _, key := range []string{"command", "bash"} {
		if command := e.Get(key); command != nil {
			command.Text = line
		}
	}
	return e
}

// indented returns JSON as it is published, for people to read.
func indented(v any) string { return string(jsontree.Encode(v, "  ")) + "\n" }

// script returns a POSIX script that runs handoff with arguments. Arguments of the script follow.
func script(what, args string) string {
	body := "if command -v handoff >/dev/null 2>&1; then\n  handoff " + args + "\nfi\n"
	return "#!/bin/sh\n# " + what + " Prints nothing if there is nothing, or if handoff is not\n# installed. Never waits for its input, never fails.\n" + body + "exit 0\n"
}
