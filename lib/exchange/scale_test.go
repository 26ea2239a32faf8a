package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// fill stores n handoffs, so many on each day.
func fill(t testing.TB, root string, n, perDay int) {
	t.Helper()
	begin := time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC).AddDate(0, 0, -(n-1)/perDay)
	sources := make([]handoff.Source, n)
	for i := range sources {
		sources[i] = doc(fmt.Sprintf("topic-%d", i))
		sources[i].Fields.Time = begin.AddDate(0, 0, i/perDay).Format(time.RFC3339)
		sources[i].Fields.Body = strings.Repeat(fmt.Sprintf("text number %d of a handoff\n", i), 30)
	}
	if _, err := mustOpen(t, root).WriteAll(context.Background(), sources); err != nil {
		t.Fatal(err)
	}
}

// sizeOf returns how many bytes the files of a directory have.
func sizeOf(t testing.TB, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			info, ierr := d.Info()
			if ierr != nil {
				return ierr
			}
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// The first sync of a clone that only receives knows the whole log: no command reads the events of what it received again
// to count what is not sent.
func TestNothingIsReadAgain(t *testing.T) {
	t.Parallel()
	_, roots := clones(t, 2)
	fill(t, roots[0], 3, 3)
	for _, root := range roots {
		mustSync(t, root)
		var at struct{ Offset, Quiet int64 }
		log, err := os.Stat(filepath.Join(root, ".run", "handoff-events.jsonl"))
		text, readErr := os.ReadFile(outside(t, root, "sync.json"))
		if err = errors.Join(err, readErr, json.Unmarshal(text, &at)); err != nil {
			t.Fatal(err)
		}
		if max(at.Offset, at.Quiet) != log.Size() {
			t.Errorf("%s: known up to %d and %d, of %d bytes", root, at.Offset, at.Quiet, log.Size())
		}
	}
}

// A sync keeps what is new, and not once more the log and the day that it belongs to: the file of the log has nearly all of its
// 1,000 events, and the day nearly 1,000 handoffs.
func TestSyncGrowsWithTheNews(t *testing.T) {
	t.Parallel()
	simulation(t, false)
	_, roots := clones(t, 2)
	fill(t, roots[0], map[bool]int{false: 980, true: 9_980}[isThorough()], 1_000)
	before := make([]int64, len(roots))
	repo := func(i int) string { return outside(t, roots[i], "sync.git") }
	for i, root := range roots {
		mustSync(t, root)
		before[i] = sizeOf(t, repo(i))
	}
	const rounds, most = 8, 32 << 10
	for n := range rounds {
		write(t, roots[0], fmt.Sprintf("more-%d", n))
		for i, root := range roots {
			mustSync(t, root)
			if loose := git(t, repo(i), "count-objects"); !strings.HasPrefix(loose, "0 objects") {
				t.Errorf("clone %d: %s", i, loose)
			}
		}
	}
	for i := range roots {
		if each := (sizeOf(t, repo(i)) - before[i]) / rounds; each > most {
			t.Errorf("clone %d: each sync of one handoff takes %d bytes", i, each)
		}
	}
}
