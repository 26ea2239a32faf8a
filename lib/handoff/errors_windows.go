package handoff

func isReadOnly(error) bool { return false }
