//go:build !linux

package disk

import "os"

// reserve does nothing: there is no portable way to reserve space.
func reserve(*os.File, int64, int64) error { return nil }
