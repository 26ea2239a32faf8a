package fault

func isReadOnly(error) bool { return false }

// Remedy says what to do about an error of the system, "" if nothing is known.
func Remedy(error) string { return "" }
