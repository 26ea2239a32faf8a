//go:build darwin || freebsd

package disk

import "golang.org/x/sys/unix"

// stepFlags open a parent directory, for which the user needs only search permission.
const stepFlags = unix.O_SEARCH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
