//go:build unix && !linux

package durable

import "errors"

func openBeneath(string) (int, error) { return -1, errors.ErrUnsupported }
