package handoff

func isReadOnly(error) bool { return false }

func remedy(error) string { return "" }
