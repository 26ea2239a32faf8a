package store

import "os"

// IsCallers reports whether a file belongs to the user who runs the program.
func IsCallers(os.FileInfo) bool { return true }

// mayWrite reports whether the user who runs the program owns the file or is root.
func mayWrite(os.FileInfo) bool { return true }
