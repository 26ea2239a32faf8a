//go:build unix

package transcript_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/transcript"
)

// Only a regular file is a transcript; anything else is an error at once.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("/etc/passwd", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, dir, "/dev/zero", "/dev/tty", filepath.Join(dir, "none"), "", "/"} {
		if got, err := transcript.Read(path); err == nil {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
