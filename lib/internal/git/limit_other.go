//go:build !linux

package git

// limit does nothing: this system cannot limit another process. Time and output are limited nevertheless.
func limit(int) {}
