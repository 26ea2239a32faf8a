package agent

import (
	_ "embed" // for the skill
	"encoding/json"
	"strings"
)

//go:embed skill.md
var skill string

const (
	packageVersion = "1.0.0"
	description    = "Shows a starting session the handoffs that it has not read, and keeps a draft of one that ends"
	repository     = "https://github.com/seed-78daf238/handoff"
	license        = "Apache-2.0"
)

// Published returns the files in hooks/, by their path there: the scripts, the plugin for Claude Code with its
// marketplace, the extension for Gemini CLI, and for each agent an example of settings that name no path of
// one machine. They derive from the table that installing uses.
func Published() map[string]string {
	claude, _ := find("claude")
	gemini, _ := find("gemini")
	files := map[string]string{
		"session-start.sh": script("Session-start hook for any agent that runs a program and shows its output: prints the unread handoffs\n"+
			"# of the project in the current directory.", `hook session-start --agent plain "$@" </dev/null`),
		"save-draft.sh": script("Hook for the end of a session, or before it is compacted: keeps a draft from what the agent says on\n"+
			"# standard input. --agent NAME says which agent that is.", `draft save --hook "$@"`),

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
		"claude-plugin/hooks/hooks.json":        indented(claude.everyHook()),
		"claude-plugin/skills/handoff/SKILL.md": skill,

		"gemini-extension/gemini-extension.json": indented(struct {
			Name        string `json:"name"`
			Version     string `json:"version"`
			Description string `json:"description"`
		}{"handoff", packageVersion, description}),
		"gemini-extension/hooks/hooks.json":        indented(gemini.everyHook()),
		"gemini-extension/skills/handoff/SKILL.md": skill,
	}
	for _, a := range agents[1:] {
		files["examples/"+a.Name+".json"] = indented(a.everyHook())
	}
	return files
}

func owner() map[string]string { return map[string]string{"name": "The handoff maintainers"} }

// everyHook returns settings with the hooks of a session's start and end.
func (a Agent) everyHook() any {
	var hooks []string
	add := func(event, line string) {
		hooks = append(hooks, string(marshal(event))+":"+string(a.inList(marshal(a.portable(line)))))
	}
	add(a.event, a.packaged())
	for _, event := range a.drafts {
		add(event, "if command -v handoff >/dev/null 2>&1; then exec handoff draft save --hook --agent "+a.Name+"; fi")
	}
	settings := struct {
		Version int             `json:"version,omitempty"`
		Hooks   json.RawMessage `json:"hooks"`
	}{Hooks: json.RawMessage("{" + strings.Join(hooks, ",") + "}")}
	if a.versioned {
		settings.Version = 1
	}
	return settings
}

// portable returns the entry that gives a line to a POSIX shell.
func (a Agent) portable(line string) entry {
	e := a.shape([]string{""})
	e.Args, e.PowerShell = nil, ""
	if e.Bash != "" {
		e.Bash = line
	} else {
		e.Command = line
	}
	return e
}

func indented(v any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(v) != nil {
		return "" // not for the plain structures above
	}
	return out.String()
}

// script returns a POSIX script that runs handoff with arguments. Arguments of the script follow.
func script(what, args string) string {
	body := "if command -v handoff >/dev/null 2>&1; then\n  handoff " + args + "\nfi\n"
	return "#!/bin/sh\n# " + what + " Silent when there is nothing, or when handoff is not\n# installed. Never waits for its input, never fails.\n" + body + "exit 0\n"
}
