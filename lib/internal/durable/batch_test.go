//go:build linux

package durable_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// However many files a batch has, few are open; nobody collects them, and nothing but what was published stays.
func TestBatch(t *testing.T) {
	d := open(t)
	batch, err := d.BeginBatch()
	if err != nil {
		t.Fatal(err)
	}
	var staged []*durable.Staged
	before := openFiles(t)
	for n := range 50 {
		s, err := batch.BeginStage(fmt.Append(nil, n), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Publish("early"); err == nil {
			t.Fatal("published without a sync")
		}
		s.BeginSync()
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		staged = append(staged, s)
	}
	batch.Close()
	if now := openFiles(t); now >= before {
		t.Errorf("%d files are open, %d were when the batch began", now, before)
	}
	d.CollectStaged()
	for n, s := range staged[:40] {
		name := fmt.Sprint("f", n)
		if err := s.Publish(name); err != nil {
			t.Fatal(err)
		}
		text, err := d.ReadFile(name, 100)
		if entry, _ := d.Lstat(name); err != nil || string(text) != fmt.Sprint(n) || entry.Inode != s.Inode() {
			t.Fatalf("%s holds %q, %v; its inode %d was %d", name, text, err, entry.Inode, s.Inode())
		}
	}
	for _, s := range staged {
		s.Discard()
	}
	batch.End()
	if all, _ := os.ReadDir(d.Path()); len(all) != 40 {
		t.Errorf("there are %d files, want the 40 that were published", len(all))
	}
}

// What a dead writer staged of a batch is collected, wherever it died; what others keep there is not.
func TestCollectBatch(t *testing.T) {
	const lock = ".tmp-0123456789abcdef01234567"
	for _, left := range [][]string{{lock}, {lock, lock + ".1", lock + ".2"}, {lock + ".1"}, {lock + ".10", lock + ".2"}} {
		d := open(t)
		staging := filepath.Join(d.Path(), durable.StagingName)
		if err := os.Mkdir(staging, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			if err := os.WriteFile(filepath.Join(staging, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		living, err := d.BeginBatch()
		if err != nil {
			t.Fatal(err)
		}
		s, err := living.BeginStage([]byte("content"), 0o600)
		if err = errors.Join(err, s.Sync()); err != nil {
			t.Fatal(err)
		}
		d.CollectStaged()
		if all, _ := os.ReadDir(staging); len(all) != 2 {
			t.Errorf("after %q there are %d files, want those of the living writer", left, len(all))
		}
		if err := s.Publish("a"); err != nil {
			t.Error(err)
		}
		s.Discard()
		living.Close()
		living.End()
		if got := names(t, d); got != "a" {
			t.Errorf("after %q there are %q", left, got)
		}
	}
	d := open(t)
	mine := filepath.Join(d.Path(), durable.StagingName, ".tmp-0123456789abcdef01234567.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(mine), 0o755), os.WriteFile(mine, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	d.CollectStaged()
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// What is replaced or removed stays until others need not wait any more, unless the file had to be staged by a name.
func TestOutlast(t *testing.T) {
	defer durable.StageNamed(false)
	for _, named := range []bool{false, true} {
		durable.StageNamed(named)
		d := open(t)
		before := openFiles(t)
		s, err := d.Stage([]byte("content"), 0o644)
		if err == nil {
			err = errors.Join(s.Publish("staged"), d.Replace("other", []byte("old"), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
		done := s.Outlast("other")
		if err := errors.Join(d.Replace("other", []byte("new"), 0o644), d.Remove("staged")); err != nil {
			t.Error(err)
		}
		want := before
		if !named {
			want += 2
		}
		if now := openFiles(t); now != want {
			t.Errorf("named %v: %d files are open, want %d", named, now, want)
		}
		if done(); openFiles(t) != before {
			t.Errorf("named %v: %d files are open at the end, %d were before", named, openFiles(t), before)
		}
	}
}
