//go:build !darwin

package disk

import "os"

func hostname() (string, error) { return os.Hostname() }
