//go:build unix && !linux

package disk

import "errors"

func openBeneath(string) (int, error) { return -1, errors.ErrUnsupported }

// IsPlain returns false: this system cannot check a path in one call.
func IsPlain(string) bool { return false }
