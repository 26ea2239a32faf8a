package build_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/build"
)

// What is built from a checkout names a commit of it, also where Go recorded none, as in what `go run` and `go test` build.
func TestVersionNamesTheCommit(t *testing.T) {
	if err := exec.Command("git", "rev-parse", "--git-dir").Run(); err != nil {
		t.Skip("these sources are no git checkout")
	}
	path, err := exec.Command("git", "rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(path[:len(path)-1])); err != nil {
		t.Skip("git keeps no history here of what was checked out")
	}
	commit := build.Read().Commit
	if out, err := exec.Command("git", "cat-file", "-e", commit+"^{commit}").CombinedOutput(); err != nil {
		t.Errorf("%q is no commit: %v %s", commit, err, out)
	}
}
