package fault

func isReadOnly(error) bool { return false }

// Remedy returns what to do about a system error, "" if unknown.
func Remedy(error) string { return "" }

// IsLimit returns false: Windows has no such error.
func IsLimit(error) bool { return false }
