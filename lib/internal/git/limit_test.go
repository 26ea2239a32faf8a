//go:build linux

package git_test

import (
	"os"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// What git starts has its limits of memory, files and time.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "--bare")
	call := git.Call{Args: []string{"-c", "alias.limits=!sleep 0.2; ulimit -d; ulimit -f; ulimit -t", "limits"}}
	out, err := git.Runner{Dir: dir, Environ: os.Environ()}.Run(t.Context(), call)
	if err != nil || string(out) != "2097152\n8388608\n1200\n" {
		t.Errorf("%q, %v", out, err)
	}
}
