//go:build linux

package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// A reader whose calls fail says so, or shows all that is stored: never less. It changes nothing.
func TestReadersWhoseCallsFail(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	s := newSweep(t, build(t, ""), scenarioOf("after a killed mark"))
	step, tried, failed := map[string]int{"": 9, "ci": 4, "all": 1}[mode()], 0, 0
	for _, name := range words("openat fstat newfstatat read pread64 getdents64") {
		for n := 1; n <= 60; n += step {
			errno := errnos[(n/step+len(name))%len(errnos)]
			r := s.strace(s.dir, fmt.Sprintf("%s:error=%s:when=%d", name, errno, n), "list", "--all", "--format", "ids")
			if !r.hit {
				break
			}
			if tried++; r.code != 0 {
				failed++
			} else if shown := strings.Count(r.stdout, "sha256:"); shown != 3 {
				t.Errorf("%s of %s number %d: %d are shown: %s", errno, name, n, shown, r.stderr)
			}
		}
	}
	if now := look(s.dir).shape(); now != s.before.shape() {
		t.Errorf("the store was changed: %s", now)
	}
	t.Logf("%d injections, %d made list fail", tried, failed)
	if failed == 0 {
		t.Error("no injection made it fail")
	}
}
