//go:build unix && !linux && !darwin && !freebsd

package durable

const stepFlags = dirFlags
