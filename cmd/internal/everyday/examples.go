package everyday

// examples are those of commands so short that nothing else is said of them.
var examples = map[string]string{
	"completion bash":                "  source <(handoff completion bash)",
	"completion fish":                "  handoff completion fish | source",
	"completion powershell":          "  handoff completion powershell | Out-String | Invoke-Expression",
	"completion zsh":                 "  source <(handoff completion zsh)",
	"audit verify":                   "  handoff audit verify\n  handoff audit verify --expect \"$(cat head.txt)\"",
	"audit head":                     "  handoff audit head >head.txt",
	"compute-id":                     "  handoff compute-id note.md",
	"doctor":                         "  handoff doctor\n  handoff doctor --repair",
	"doctor hook":                    "  handoff doctor hook claude",
	"draft discard":                  "  handoff draft discard 3f9c",
	"draft list":                     "  handoff draft list",
	"hook session-start":             "  handoff hook session-start --agent plain --to ben",
	"install":                        "  handoff install claude --to ben\n  handoff install codex --project --dry-run",
	"machine-fingerprint regenerate": "  handoff machine-fingerprint regenerate --reason 'moved to a new laptop'",
	"machine-fingerprint show":       "  handoff machine-fingerprint show",
	"operators list":                 "  handoff operators list\n  handoff operators list --json",
	"operators trust":                "  handoff operators trust ben",
	"operators validate":             "  handoff operators validate",
	"operators verify":               "  handoff operators verify ben",
	"uninstall":                      "  handoff uninstall claude",
	"verify":                         "  handoff verify --quiet && echo nothing lost",
	"version":                        "  handoff version --json",
}
