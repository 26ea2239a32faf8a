package fault

func isReadOnly(error) bool { return false }

// Remedy says what to do about an error of the system, "" if nothing is known.
func Remedy(error) string { return "" }

// IsLimit returns false: the system names no such limit.
func IsLimit(error) bool { return false }
