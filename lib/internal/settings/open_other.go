//go:build !unix

package settings

import "os"

const openFlags = os.O_RDONLY

// isTrusted returns true: who owns a file is not known here.
func isTrusted(string) bool { return true }
