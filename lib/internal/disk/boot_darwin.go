//go:build darwin

package disk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// BootID names the start of the system that is running: "" where it cannot be told.
func BootID() string {
	at, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return fmt.Sprint(at.Sec, ".", at.Usec)
}
