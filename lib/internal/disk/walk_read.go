//go:build unix && !linux && !darwin && !freebsd

package disk

const stepFlags = dirFlags
