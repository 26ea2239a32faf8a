//go:build unix

package check_test

import "syscall"

func init() {
	damages["log is a FIFO"] = damage{do: replaced(shop.log, func(p string) error { return syscall.Mkfifo(p, 0o600) }),
		says: "not a plain file", remedy: repair}
}
