package cli

// examples maps the path of a command without an Example to its examples.
var examples = map[string]string{
	"completion bash":           "  source <(handoff completion bash)",
	"completion fish":           "  handoff completion fish | source",
	"completion powershell":     "  handoff completion powershell | Out-String | Invoke-Expression",
	"completion zsh":            "  source <(handoff completion zsh)",
	"record id":                 "  handoff record id note.md",
	"doctor":                    "  handoff doctor\n  handoff doctor --repair",
	"doctor hook":               "  handoff doctor hook claude",
	"draft discard":             "  handoff draft discard 3f9c",
	"draft list":                "  handoff draft list",
	"hook session-start":        "  handoff hook session-start --agent plain --to ben",
	"hook prompt":               "  handoff hook prompt --agent claude --to ben",
	"hook tool":                 "  handoff hook tool --agent claude --to ben",
	"hook stop":                 "  handoff hook stop --agent claude",
	"install":                   "  handoff install claude --to ben\n  handoff install codex --project --dry-run",
	"doctor machine regenerate": "  handoff doctor machine regenerate --reason 'moved to a new laptop'",
	"doctor machine show":       "  handoff doctor machine show",
	"operators list":            "  handoff operators list\n  handoff operators list --json",
	"operators trust":           "  handoff operators trust ben",
	"operators validate":        "  handoff operators validate",
	"operators verify":          "  handoff operators verify ben",
	"uninstall":                 "  handoff uninstall claude",
	"verify":                    "  handoff verify --quiet && echo nothing lost\n  handoff verify --log --expect \"$(cat head.txt)\"",
	"version":                   "  handoff version --json",
}
