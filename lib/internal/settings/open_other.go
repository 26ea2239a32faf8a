//go:build !unix

package settings

import "os"

func openPlain(path string) (*os.File, error) { return os.Open(path) }

// IsTrusted returns true: who owns a file is not known here.
func IsTrusted(string) bool { return true }
