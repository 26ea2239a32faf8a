//go:build unix && !linux

package disk

import "errors"

func openBeneath(string) (int, error) { return -1, errors.ErrUnsupported }

// IsPlain reports whether something is at path and no name in it is a symbolic link; false where that takes more than
// one call to tell.
func IsPlain(string) bool { return false }
