//go:build !linux && !darwin

package machine

// BootID cannot tell here when the system was started.
func BootID() string { return "" }
