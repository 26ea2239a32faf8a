//go:build darwin || freebsd

package disk

import "golang.org/x/sys/unix"

// stepFlags open a directory on the way: who may only search it can pass.
const stepFlags = unix.O_SEARCH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
