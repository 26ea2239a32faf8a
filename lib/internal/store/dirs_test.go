package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

var here = strings.Repeat("a", 64)

func at(root string) *store.Store {
	return &store.Store{Opt: store.Options{Root: root, Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"),
		Fingerprint: func() (string, error) { return here, nil }, Warn: func(string) {}}}
}

func mustOpen(t *testing.T, s *store.Store) store.Dirs {
	t.Helper()
	d, err := s.OpenDirs()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// put writes a file below root and creates its parent directories.
func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const (
	row    = "| sha256:0000000000000000000000000000000000000000000000000000000000000001 | 2026-05-07-a-b-t.md | a | b | t | 2026-05-07T12:00:00Z |  |\n"
	stored = "handoffs/2026-05-07-a-b-t.md"
	log    = ".run/handoff-events.jsonl"
)

// The files decide whether a store may begin, and what was lost.
func TestGlances(t *testing.T) {
	table := string(index.New())
	for _, test := range []struct {
		name  string
		files map[string]string

		begun, noLog, noIndex bool // whether the store has begun; what is lost if the log has no event, or INDEX.md no row
	}{
		{"nothing", map[string]string{}, false, false, false},
		{"a table", map[string]string{"handoffs/INDEX.md": table}, false, false, false},
		{"a row", map[string]string{"handoffs/INDEX.md": table + row, stored: "x"}, true, true, false},
		{"a row in a late archive", map[string]string{"handoffs/INDEX.md": table, "handoffs/INDEX-0002.md": table + row}, true, true, false},
		{"events", map[string]string{"handoffs/INDEX.md": table, log: "{}\n"}, true, false, false},
		{"a file put by hand", map[string]string{"handoffs/INDEX.md": table, stored: "x"}, false, false, false},
		{"a file without a table", map[string]string{stored: "x"}, false, false, true},
		{"a file that events tell of", map[string]string{"handoffs/INDEX.md": table, stored: "x", log: "{}\n"}, true, false, true},
	} {
		root := t.TempDir()
		put(t, root, "handoffs/notes", "")
		for name, text := range test.files {
			put(t, root, name, text)
		}
		d := mustOpen(t, at(root))
		if begun, err := d.HasBegun(); begun != test.begun || err != nil {
			t.Errorf("%s: begun is %v, %v", test.name, begun, err)
		}
		if err := d.CheckNewLog(); errors.Is(err, fault.ErrIntegrity) != test.noLog {
			t.Errorf("%s: a log may begin: %v", test.name, err)
		}
		if err := d.HasLostIndex(); errors.Is(err, fault.ErrIntegrity) != test.noIndex {
			t.Errorf("%s: the index is lost: %v", test.name, err)
		}
	}
}

func TestHandoffsDirectoryThatIsGone(t *testing.T) {
	root := t.TempDir()
	put(t, root, ".run/other", "")
	if d, err := at(root).Prover(); d != nil || err != nil {
		t.Errorf("one that never was: %v, %v", d, err)
	}
	put(t, root, log, "{}\n")
	if _, err := at(root).Prover(); !errors.Is(err, fault.ErrIntegrity) {
		t.Errorf("one that was: %v", err)
	}
	var lost error
	reading := at(root)
	reading.Opt.Lost = func(err error) { lost = err }
	if d, err := reading.Reader(); d != nil || err != nil || !errors.Is(lost, fault.ErrIntegrity) {
		t.Errorf("a reader of one that was: %v, %v, and is told %v", d, err, lost)
	}
}

func TestCompareMachine(t *testing.T) {
	record := disk.MachineRecord{Fingerprint: here, FirstSeenUTC: "2026-05-07T12:00:00Z"}
	root := t.TempDir()
	early := mustOpen(t, at(root)) // before anything was made
	put(t, root, "handoffs/INDEX.md", string(index.New())+row)
	if _, err := mustOpen(t, at(root)).CompareMachine(here); !errors.As(err, new(*store.MachineError)) {
		t.Errorf("rows without a record: %v", err)
	}
	put(t, root, ".run/machine-fingerprint", string(record.Bytes()))
	if known, err := early.CompareMachine(here); !known || err != nil {
		t.Errorf("recorded after it was opened: %v, %v", known, err)
	}
	refused := (*store.MachineError)(nil)
	if _, err := early.CompareMachine(strings.Repeat("b", 64)); !errors.As(err, &refused) || refused.Lost || refused.Expected != here {
		t.Errorf("another machine: %v", err)
	}
	put(t, root, ".run/machine-fingerprint", "")
	if _, err := early.CompareMachine(here); !errors.As(err, &refused) || !refused.Lost {
		t.Errorf("an emptied record: %v", err)
	}
}

// A reader that sees events of another process also finds the machine record, which was written before.
func TestCompareMachineWhileAStoreBegins(t *testing.T) {
	record := disk.MachineRecord{Fingerprint: here, FirstSeenUTC: "2026-05-07T12:00:00Z"}
	for range 300 {
		root := t.TempDir()
		put(t, root, "handoffs/notes", "")
		put(t, root, ".run/a", string(record.Bytes()))
		put(t, root, ".run/b", "{}\n")
		d := mustOpen(t, at(root))
		begun := make(chan error)
		go func() {
			err := os.Rename(filepath.Join(root, ".run/a"), filepath.Join(root, ".run/machine-fingerprint"))
			begun <- errors.Join(err, os.Rename(filepath.Join(root, ".run/b"), filepath.Join(root, log)))
		}()
		for known := false; !known; {
			var err error
			if known, err = d.CompareMachine(here); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-begun; err != nil {
			t.Fatal(err)
		}
	}
}
