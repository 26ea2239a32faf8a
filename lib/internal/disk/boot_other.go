//go:build !linux && !darwin

package disk

// BootID cannot tell here when the system was started.
func BootID() string { return "" }
