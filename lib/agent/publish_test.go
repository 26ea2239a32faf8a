package agent

import (
	_ "embed" // for the skill
	"strings"
)

//go:embed skill.md
var skill string

// Published returns the files in hooks/, by their path there: the script for any agent, and the skill. No program needs
// them, so that the test which writes them is where they are made.
func Published() map[string]string {
	return map[string]string{
		"session-start.sh": `#!/bin/sh
# Session-start hook for any agent that runs a program and shows its output: prints the unread handoffs
# of the project in the current directory. Prints nothing if there is nothing, or if handoff is not
# installed. Never waits for its input, never fails.
if command -v handoff >/dev/null 2>&1; then
  handoff hook session-start --agent plain "$@" </dev/null
fi
exit 0
`,
		"skills/handoffs/SKILL.md": strings.Replace(skill, "\n---\n", "\nallowed-tools: "+allowed()+"\n---\n", 1),
	}
}

// safe has the subcommands that a session may run without being asked. A rule allows all flags of its command, so
// watch, which runs programs with --exec, is not among them.
var safe = []string{"next", "list", "read", "status", "search", "log", "take", "release", "done", "reply", "mark-read",
	"new", "operators list"}

// allowed returns the tools of a skill, as Claude Code reads them.
func allowed() string {
	rules := make([]string, len(safe))
	for i, command := range safe {
		rules[i] = "Bash(handoff " + command + ":*)"
	}
	return strings.Join(rules, ", ")
}
