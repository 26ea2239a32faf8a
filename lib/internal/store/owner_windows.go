package store

import "os"

// IsCallers reports whether a file belongs to the user who runs the program.
func IsCallers(os.FileInfo) bool { return true }
