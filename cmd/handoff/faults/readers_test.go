//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A reader whose calls fail says so, or shows all that is recorded: never fewer, while the files lag behind the journal.
func TestReadersWhoseCallsFail(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p := program{build(t), memory(t)}
	sc := scenario{name: "recorded", prepare: [][]string{words("write in/a.md in/b.md in/c.md")}, crashes: []crash{{beforeBodies, words("write d.md")}}}
	dir := p.store(t, sc)
	tr, err := p.calls(dir, "", words("list"))
	if err != nil {
		t.Fatal(err)
	}
	step, tried, failed := 4, 0, 0
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		step = 1
	}
	for _, name := range words("openat openat2 fstat newfstatat read pread64 fdatasync") {
		for n := 1; n <= tr.most[name]; n += step {
			errno := []string{"EIO", "ENOSPC", "EMFILE"}[n/step%3]
			r := p.strace(dir, []string{fmt.Sprintf("%s:error=%s:when=%d", name, errno, n)}, "list", "--all", "--format", "ids")
			if tried++; r.code != 0 {
				failed++
			} else if shown := strings.Count(r.stdout, "sha256:"); shown != 4 {
				t.Errorf("%s of %s number %d: %d are shown: %s", errno, name, n, shown, r.stderr)
			}
		}
	}
	t.Logf("%d injections, %d made list fail", tried, failed)
	if failed == 0 {
		t.Error("no injection took place")
	}
}
