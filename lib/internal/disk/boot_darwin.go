//go:build darwin

package disk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// BootID returns an id of the present start of the system, or "" if it is unknown.
func BootID() string {
	at, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return fmt.Sprint(at.Sec, ".", at.Usec)
}
