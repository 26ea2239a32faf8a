// Package installer registers the session-start hook in the settings of coding agents, and takes it out again
// (spec 3-surface, "Session hooks").
//
// Settings belong to their owner. A file is changed only where it is wholly understood, only by the bytes of
// one entry, and only if nobody else changed it meanwhile; taking the entry out gives the file back as it
// was. What is not understood is refused with its place, and nothing is changed.
//
// One table says how each agent is told: everything here, and the files in hooks/, derive from it.
package installer

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Agent is a coding agent whose settings this package knows.
type Agent struct {
	Name  string // as handoff-hook --agent takes it
	Title string // as people call it

	user, project, local string // settings files, relative to the home directory and to the project root
	home                 string // the variable that names a directory in place of the first one of user
	event                string // the hook that a starting session runs
	drafts               []string
	grouped              bool     // the entries lie in groups: {"hooks": [entry]}
	versioned            bool     // the file says "version": 1
	only                 []string // the top-level keys that the agent takes, if it drops files with others
	plugin               string   // a file that is there when the hook comes with an extension, relative to the home directory
	alsoReads            []string // agents whose settings it runs too

	shape    func(words []string) entry
	envelope func(output []byte) (string, error)
	cap      int // characters that reach the model; 0 = not known

	// Approve says what a person must do in the agent before the hook runs: for settings of the user, and
	// of a project.
	Approve, ApproveProject string
}

// An entry is a hook as the agents write it; the fields that an agent does not know stay empty.
type entry struct {
	Type       string   `json:"type,omitempty"`
	Command    string   `json:"command,omitempty"`
	Bash       string   `json:"bash,omitempty"`
	PowerShell string   `json:"powershell,omitempty"`
	Args       []string `json:"args,omitempty"`
	Timeout    int      `json:"timeout,omitempty"`
	TimeoutSec int      `json:"timeoutSec,omitempty"`
}

const seconds = 5 // after which an agent may give the hook up; it needs one at most

var agents = []Agent{
	{
		Name: "claude", Title: "Claude Code",
		user: ".claude/settings.json", project: ".claude/settings.json", local: ".claude/settings.local.json", home: "CLAUDE_CONFIG_DIR",
		event: "SessionStart", drafts: []string{"PreCompact", "SessionEnd"}, grouped: true, cap: 10_000, envelope: hookSpecific,
		shape: func(words []string) entry {
			return entry{Type: "command", Command: words[0], Args: words[1:], Timeout: seconds}
		},
		ApproveProject: "trust the folder when Claude Code asks; `/hooks` shows the hook",
	},
	{
		Name: "codex", Title: "Codex CLI",
		user: ".codex/hooks.json", project: ".codex/hooks.json", home: "CODEX_HOME",
		event: "SessionStart", drafts: []string{"PreCompact"}, grouped: true, only: []string{"description", "hooks"}, cap: 10_000, envelope: hookSpecific,
		shape:          func(words []string) entry { return entry{Type: "command", Command: shell(words), Timeout: seconds} },
		Approve:        "run `/hooks` in Codex and trust the hook: until then it is skipped without a word, and again after each change",
		ApproveProject: "trust the project, then run `/hooks` in Codex and trust the hook: until then it is skipped without a word, and again after each change",
	},
	{
		Name: "gemini", Title: "Gemini CLI",
		user: ".gemini/settings.json", project: ".gemini/settings.json", plugin: ".gemini/extensions/handoff/gemini-extension.json",
		event: "SessionStart", drafts: []string{"PreCompress", "SessionEnd"}, grouped: true, envelope: hookSpecific,
		shape: func(words []string) entry {
			return entry{Type: "command", Command: shell(words), Timeout: 1000 * seconds} // milliseconds, there alone
		},
		ApproveProject: "trust the folder; Gemini CLI warns of a project's hook when it first sees it",
	},
	{
		Name: "cursor", Title: "Cursor",
		user: ".cursor/hooks.json", project: ".cursor/hooks.json",
		event: "sessionStart", drafts: []string{"preCompact", "sessionEnd"}, versioned: true, alsoReads: []string{"claude"}, envelope: topLevel("additional_context"),
		shape:          func(words []string) entry { return entry{Command: shell(words), Timeout: seconds} },
		ApproveProject: "trust the workspace when Cursor asks",
	},
	{
		Name: "copilot", Title: "Copilot CLI",
		user: ".copilot/hooks/handoff.json", project: ".github/hooks/handoff.json",
		event: "sessionStart", drafts: []string{"sessionEnd"}, versioned: true, alsoReads: []string{"claude"}, envelope: topLevel("additionalContext"),
		shape: func(words []string) entry {
			return entry{Type: "command", Bash: shell(words), PowerShell: "& " + powerShell(words), TimeoutSec: seconds}
		},
		ApproveProject: "trust the folder when Copilot CLI asks",
	},
}

// Names returns the names of the agents.
func Names() []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

// Find returns the agent with a name. The error is ErrInvalid.
func Find(name string) (Agent, error) {
	for _, a := range agents {
		if a.Name == name {
			return a, nil
		}
	}
	return Agent{}, &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("unknown agent %q", name),
		Advice: "known are " + strings.Join(Names(), ", ") + "; any other agent can run hooks/session-start.sh"}
}

// refuse makes the error about settings that are not touched.
func refuse(advice, format string, args ...any) error {
	err := &handoff.Error{Class: handoff.ErrConfig, Problem: fmt.Sprintf(format, args...), Advice: advice}
	for _, a := range args {
		if cause, ok := a.(error); ok {
			err.Cause = cause
		}
	}
	return err
}
