//go:build !darwin

package machine

import "os"

func hostname() (string, error) { return os.Hostname() }
