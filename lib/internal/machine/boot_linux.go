package machine

import "os"

// BootID names the start of the system that is running: "" where it cannot be told.
func BootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(text)
}
