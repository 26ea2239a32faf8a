//go:build unix

package exchange_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A document that is too large is refused by its size, and nothing of it is read.
func TestHugeDocument(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	id := write(t, roots[0], "work")
	mustSync(t, roots[0])
	const size = 17 << 20 // more than git reads into memory
	file := writerFile(7)
	head := fmt.Sprintf("commit %s/writers/w-%016x\ncommitter w <w@handoff> 1778155200 +0000\ndata 1\nx\nM 100644 inline writer.json\ndata %d\n%s\nM 100644 inline 2026-05-07/%064d.md\ndata %d\n",
		namespace, 7, len(file), file, 7, size)
	cmd := exec.Command("git", "-c", "core.compression=1", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = hub, io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, size), strings.NewReader("\n"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	got, err := sync(roots[1])
	if !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 1 || !strings.Contains(got.Refused[0].Why, "too long") {
		t.Errorf("%+v, %v", got, err)
	}
	if len(got.Received) != 1 || got.Received[0].ID != id {
		t.Errorf("received %+v", got.Received)
	}
}

// A remote with more writers than anybody has is refused before anything is fetched.
func TestTooManyWriters(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 1)
	write(t, roots[0], "work")
	mustSync(t, roots[0])
	commit := strings.Fields(git(t, hub, "for-each-ref", namespace))[0]
	var refs strings.Builder
	for n := range 10_001 {
		fmt.Fprintf(&refs, "%s %s/writers/w-%016x\n", commit, namespace, n)
	}
	if err := os.WriteFile(filepath.Join(hub, "packed-refs"), []byte(refs.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sync(roots[0]); !errors.Is(err, handoff.ErrConfig) || !strings.Contains(err.Error(), "writers") {
		t.Error(err)
	}
}
