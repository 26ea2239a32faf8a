package cli

// exampleOf returns the examples of the command with a path, for a command without an Example.
func exampleOf(path string) string {
	switch path {
	case "completion bash":
		return "  source <(handoff completion bash)"
	case "completion fish":
		return "  handoff completion fish | source"
	case "completion powershell":
		return "  handoff completion powershell | Out-String | Invoke-Expression"
	case "completion zsh":
		return "  source <(handoff completion zsh)"
	case "record id":
		return "  handoff record id note.md"
	case "doctor":
		return "  handoff doctor\n  handoff doctor --repair"
	case "doctor hook":
		return "  handoff doctor hook claude"
	case "draft discard":
		return "  handoff draft discard 3f9c"
	case "draft list":
		return "  handoff draft list"
	case "hook session-start":
		return "  handoff hook session-start --agent plain --to ben"
	case "hook prompt":
		return "  handoff hook prompt --agent claude --to ben"
	case "hook tool":
		return "  handoff hook tool --agent claude --to ben"
	case "hook stop":
		return "  handoff hook stop --agent claude"
	case "install":
		return "  handoff install claude --to ben\n  handoff install codex --project --dry-run"
	case "doctor machine regenerate":
		return "  handoff doctor machine regenerate --reason 'moved to a new laptop'"
	case "doctor machine show":
		return "  handoff doctor machine show"
	case "operators list":
		return "  handoff operators list\n  handoff operators list --json"
	case "operators trust":
		return "  handoff operators trust ben"
	case "operators validate":
		return "  handoff operators validate"
	case "operators verify":
		return "  handoff operators verify ben"
	case "uninstall":
		return "  handoff uninstall claude"
	case "verify":
		return "  handoff verify --quiet && echo nothing lost\n  handoff verify --log --expect \"$(cat head.txt)\""
	case "version":
		return "  handoff version --json"
	}
	return ""
}
