//go:build !linux

package disk

import (
	"errors"
	"os"
)

func openUnnamed(*Dir, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(*os.File, int, string) error { return errors.ErrUnsupported }

// reserve does nothing: there is no portable way to reserve space.
func reserve(*os.File, int64, int64) error { return nil }
