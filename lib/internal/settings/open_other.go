//go:build !unix

package settings

import "os"

const openFlags = os.O_RDONLY

// IsTrusted returns true: who owns a file is not known here.
func IsTrusted(string) bool { return true }
