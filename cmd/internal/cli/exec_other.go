//go:build !linux

package cli

import "os"

// inputFile returns a file that nobody else can open; it is gone when the program ends.
func inputFile() (*os.File, error) {
	f, err := os.CreateTemp("", "handoff-stdin-")
	if err == nil {
		os.Remove(f.Name()) // not on every system; what stays is in the directory of temporary files
	}
	return f, err
}
