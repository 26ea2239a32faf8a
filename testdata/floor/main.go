//go:build linux

// Command floor is what one durable write costs at least: a program that links the packages that
// handoff links, and makes the system calls that handoff makes, without looking at what it writes.
// The benchmark of cmd/handoff divides the time of handoff by its time.
//
//	floor DIR NAME: in the store DIR/handoffs, DIR/.run
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	_ "github.com/adrg/frontmatter"
	_ "github.com/denisbrodbeck/machineid"
	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	_ "github.com/gowebpki/jcs"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"
	_ "golang.org/x/term"
)

func main() {
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root, name string) error {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	for _, path := range []string{"/var/lib/dbus/machine-id", "/etc/machine-id", filepath.Join(root, ".handoff.yaml"), filepath.Join(root, ".run/machine-fingerprint")} {
		os.ReadFile(path)
	}
	dir := filepath.Join(root, "handoffs")
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	staged, err := stage(dir, body)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, ".INDEX.md.lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.md"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	log, err := os.OpenFile(filepath.Join(root, ".run/handoff-events.jsonl"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := log.Stat()
	if err != nil {
		return err
	}
	line := bytes.Repeat([]byte("e"), 500)
	unix.Fallocate(int(log.Fd()), unix.FALLOC_FL_KEEP_SIZE, info.Size(), int64(len(line)))
	intent, err := stage(dir, bytes.Repeat([]byte("i"), 1100))
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return publish(intent, filepath.Join(dir, ".intent")) },
		func() error { return publish(staged, filepath.Join(dir, name)) },
		d.Sync,
		func() error { return replace(dir, append(index, bytes.Repeat([]byte("r"), 200)...)) },
		d.Sync,
		func() error { _, err := log.WriteAt(line, info.Size()); return err },
		log.Sync,
		func() error { return os.Remove(filepath.Join(dir, ".intent")) },
		lock.Unlock,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Println(name)
	return nil
}

func stage(dir string, text []byte) (*os.File, error) {
	f, err := os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(text); err != nil {
		return nil, err
	}
	return f, f.Sync()
}

func publish(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

func replace(dir string, text []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := renameio.NewPendingFile("INDEX.md", renameio.WithRoot(root), renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
