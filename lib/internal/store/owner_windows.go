package store

import "os"

// IsCallers reports whether a file belongs to who runs the program.
func IsCallers(os.FileInfo) bool { return true }

// mayWrite reports whether who runs the program is one whose files these are, or root.
func mayWrite(os.FileInfo) bool { return true }
