package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Agent is a row of the table of agents, from which the hook, its registration, the self-test and the
// files in hooks/ derive: a new agent is a new row.
type Agent struct {
	Name  string // as --agent takes it
	Title string // as people call it

	envelope envelope // the form in which text reaches the model
	cap      int      // characters that reach the model; 0 = not known
	speaks   bool     // the model takes the text for a message of its system or developer: no bodies in it
	keeps    bool     // what the model was told stays when the session is resumed or forked, and would be there twice

	// Where it is told of the hook; all empty for an agent without settings.
	user, project, local string   // settings files, relative to the home directory and to the project root
	home                 string   // the variable that names a directory in place of the first one of user
	above                bool     // it names one in place of the home directory
	extension            string   // the directory of our extension, relative to the home directory
	skills               string   // a directory whose directories may be plugins, relative to the home directory and to the project root
	alsoReads            []string // agents whose settings it runs too

	// The variables of its shells that say which session it is, and one that only says that it is a
	// shell of this agent.
	sessionIn []string
	inside    string

	// What decides whether it runs hooks.
	layers []layer
	turns  []turn
	trust  *trust
	state  string // what the keys of hooks that a person has trusted say of the event

	// What its settings look like.
	event     string   // the hook that a starting session runs
	end       string   // the one that an ending session runs
	grouped   bool     // the entries lie in groups: {"hooks": [entry]}
	versioned bool     // the file says "version": 1
	only      []string // the top-level keys that the agent takes, if it drops files with others
	shape     func(words []string) entry

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
	{Name: "plain", Title: "any other agent", envelope: plainText},
	{
		Name: "claude", Title: "Claude Code",
		envelope: hookSpecific, cap: 10_000, speaks: true,
		user: ".claude/settings.json", project: ".claude/settings.json", local: ".claude/settings.local.json", home: "CLAUDE_CONFIG_DIR",
		skills: ".claude/skills", sessionIn: []string{"CLAUDE_CODE_SESSION_ID"}, inside: "CLAUDECODE",
		layers: []layer{
			{scope: User, path: ".claude/settings.json"}, {scope: Project, path: ".claude/settings.json"}, {scope: Project, path: ".claude/settings.local.json"},
			{scope: Machine, path: managed("/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json", `C:\Program Files\ClaudeCode\managed-settings.json`)},
		},
		turns: []turn{{"disableAllHooks", "true", User}, {"allowManagedHooksOnly", "true", Machine}},
		trust: &trust{".claude.json", "projects.", ".hasTrustDialogAccepted", []string{"true"}},
		event: "SessionStart", end: "SessionEnd", grouped: true,
		shape: func(words []string) entry {
			return entry{Type: "command", Command: words[0], Args: words[1:], Timeout: seconds}
		},
		ApproveProject: "trust the folder when Claude Code asks; `/hooks` shows the hook",
	},
	{
		Name: "codex", Title: "Codex CLI",
		envelope: hookSpecific, cap: 10_000, speaks: true, keeps: true,
		user: ".codex/hooks.json", project: ".codex/hooks.json", home: "CODEX_HOME",
		sessionIn: []string{"CODEX_SESSION_ID", "CODEX_THREAD_ID"},
		layers: []layer{
			{scope: Machine, path: "/etc/codex/config.toml"}, {scope: Machine, path: "/etc/codex/requirements.toml"},
			{scope: User, path: ".codex/config.toml"}, {scope: Project, path: ".codex/config.toml"},
		},
		turns: []turn{{"features.hooks", "false", User}, {"allow_managed_hooks_only", "true", Machine}},
		trust: &trust{".codex/config.toml", "projects.", ".trust_level", []string{"trusted"}}, state: "session_start",
		event: "SessionStart", end: "SessionEnd", grouped: true, only: []string{"description", "hooks"},
		shape:          func(words []string) entry { return entry{Type: "command", Command: shell(words), Timeout: seconds} },
		Approve:        "run `/hooks` in Codex and trust the hook: until then it is skipped without a word, and again after each change",
		ApproveProject: "trust the project, then run `/hooks` in Codex and trust the hook: until then it is skipped without a word, and again after each change",
	},
	{
		Name: "gemini", Title: "Gemini CLI",
		envelope: hookSpecific,
		user:     ".gemini/settings.json", project: ".gemini/settings.json", home: "GEMINI_CLI_HOME", above: true,
		extension: ".gemini/extensions/handoff", sessionIn: []string{"GEMINI_SESSION_ID"}, inside: "GEMINI_CLI",
		layers: []layer{
			{scope: Machine, env: "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
				path: managed("/etc/gemini-cli/system-defaults.json", "/Library/Application Support/GeminiCli/system-defaults.json", `C:\ProgramData\gemini-cli\system-defaults.json`)},
			{scope: User, path: ".gemini/settings.json"}, {scope: Project, path: ".gemini/settings.json"},
			{scope: Machine, env: "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
				path: managed("/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`)},
		},
		turns: []turn{{"hooksConfig.enabled", "false", User}},
		trust: &trust{".gemini/trustedFolders.json", "", "", []string{"TRUST_FOLDER", "TRUST_PARENT"}},
		event: "SessionStart", end: "SessionEnd", grouped: true,
		shape: func(words []string) entry {
			return entry{Type: "command", Command: shell(words), Timeout: 1000 * seconds} // milliseconds, there alone
		},
		ApproveProject: "trust the folder; Gemini CLI warns of a project's hook when it first sees it",
	},
	{
		Name: "cursor", Title: "Cursor",
		envelope: topLevel("additional_context"),
		user:     ".cursor/hooks.json", project: ".cursor/hooks.json", inside: "CURSOR_AGENT",
		event: "sessionStart", end: "sessionEnd", versioned: true, alsoReads: []string{"claude"},
		shape:          func(words []string) entry { return entry{Command: shell(words), Timeout: seconds} },
		ApproveProject: "trust the workspace when Cursor asks",
	},
	{
		Name: "copilot", Title: "Copilot CLI",
		envelope: topLevel("additionalContext"),
		user:     ".copilot/hooks/handoff.json", project: ".github/hooks/handoff.json", home: "COPILOT_HOME",
		sessionIn: []string{"COPILOT_AGENT_SESSION_ID"},
		layers: []layer{
			{scope: User, path: ".copilot/settings.json"}, {scope: User, path: ".copilot/hooks/handoff.json"}, {scope: Project, path: ".github/hooks/handoff.json"},
			{scope: Project, path: ".github/copilot/settings.json"}, {scope: Project, path: ".github/copilot/settings.local.json"},
		},
		turns: []turn{{"disableAllHooks", "true", User}},
		event: "sessionStart", end: "sessionEnd", versioned: true, alsoReads: []string{"claude"},
		shape: func(words []string) entry {
			return entry{Type: "command", Bash: shell(words), PowerShell: "& " + powerShell(words), TimeoutSec: seconds}
		},
		ApproveProject: "trust the folder when Copilot CLI asks",
	},
}

// Names returns the names of all agents, as Session.Agent takes them.
func Names() []string { return namesOf(agents) }

// Installable returns the names of the agents whose settings this package knows.
func Installable() []string { return namesOf(agents[1:]) }

// namesOf returns the names of agents, in their order.
func namesOf(agents []Agent) []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

// find returns the agent with a name.
func find(name string) (Agent, bool) {
	i := slices.IndexFunc(agents, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return agents[i], true
}

// unknown says that no row of the table has the name.
func unknown(name string) error {
	return fault.New(fault.ErrInvalid, "", "unknown agent %s; known are %s", fault.Quote(name), fault.Own(strings.Join(Names(), ", ")))
}

// Find returns the agent with a name of Installable. The error is ErrInvalid.
func Find(name string) (Agent, error) {
	if a, known := find(name); known && a.user != "" {
		return a, nil
	}
	return Agent{}, &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("unknown agent %q", name),
		Advice: "known are " + strings.Join(Installable(), ", ") + "; any other agent can run hooks/session-start.sh"}
}
