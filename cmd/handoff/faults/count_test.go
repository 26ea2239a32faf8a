//go:build linux

package faults_test

import "testing"

// A write waits for the disk three times, an action once, a batch three times beside its bodies, a reader never. What
// is stored already is staged and not linked.
func TestSyncs(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	s := newSweep(t, build(t, ""), scenarioOf("write"))
	id, batch := idOf("a"), words("f g h i j")
	for _, c := range []struct {
		want    int
		command []string
	}{
		{3, words("write d.md")}, {1, []string{"mark-read", id, "ben"}}, {1, []string{"take", id, "--operator", "ben"}},
		{1, []string{"release", id, "--operator", "ben"}}, {1, []string{"take", id, "--operator", "ben"}},
		{1, []string{"done", id, "--operator", "ben"}}, {1, []string{"archive", id, "--operator", "ben"}},
		{1, []string{"archive", "--undo", id, "--operator", "ben"}}, {len(batch) + 3, words("write batch")},
		{0, words("list")}, {0, words("verify")}, {1, words("write d.md")},
	} {
		calls, r, err := s.record(s.dir, c.command...)
		n := 0
		for _, call := range calls {
			if call.name == "fsync" || call.name == "fdatasync" || call.name == "syncfs" || call.name == "sync" {
				n++
			}
		}
		if err != nil || r.code != 0 || n > c.want {
			t.Errorf("%v waits %d times for the disk, at most %d: exit code %d, %v", c.command, n, c.want, r.code, err)
		}
	}
}
