package handoff

func isReadOnly(error) bool { return false }

func retryHint(error) string { return "run the command again" }
