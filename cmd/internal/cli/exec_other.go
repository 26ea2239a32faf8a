//go:build !linux

package cli

import "os"

// inputFile returns a temporary file without a name.
func inputFile() (*os.File, error) {
	f, err := os.CreateTemp("", "handoff-stdin-")
	if err == nil {
		os.Remove(f.Name()) // fails on some systems; the file then stays in the directory of temporary files
	}
	return f, err
}
