//go:build unix && !linux

package durable

import (
	"errors"
	"os"
)

func openUnnamed(*Dir, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

// beginSync does nothing: the sync that follows does all.
func beginSync(*os.File) {}

func linkUnnamed(*os.File, int, string) error { return errors.ErrUnsupported }

// reserve does nothing: there is no portable way to keep room.
func reserve(*os.File, int64, int64) error { return nil }
