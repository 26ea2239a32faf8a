//go:build !linux && !darwin

package disk

// BootID returns "": this system has no id of its start.
func BootID() string { return "" }
