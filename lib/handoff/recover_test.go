//go:build unix

package handoff_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// files returns the files below a directory, by their paths in it, but for those of the journal and the lock.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "journal") || d.Name() == ".INDEX.md.lock" {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		all[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// putBack makes the files below a directory what they were, the journal excepted.
func putBack(t *testing.T, root string, all map[string]string) {
	t.Helper()
	for name := range files(t, root) {
		if _, was := all[name]; !was {
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// interrupted is a store that has one, which ben has read, and of which the files do not show that two was written
// since, as if that command had been killed behind its record.
func interrupted(t *testing.T, root string) (s *handoff.Store, before, after map[string]string) {
	t.Helper()
	s = open(t, root, nil)
	one := mustWrite(t, s, source("one", "body"))
	if _, err := s.MarkRead(t.Context(), "ben", one.ID); err != nil {
		t.Fatal(err)
	}
	before = files(t, root)
	mustWrite(t, s, source("two", "the second"))
	after = files(t, root)
	putBack(t, root, before)
	return s, before, after
}

// shows reports whether a store lists one as read by ben, and two as it was written.
func shows(t *testing.T, s *handoff.Store) bool {
	t.Helper()
	entries, err := s.List(handoff.Filter{})
	if err != nil || len(entries) != 2 || entries[0].UnreadBy("ben") || !entries[1].UnreadBy("ben") {
		t.Errorf("it lists %+v, %v", entries, err)
		return false
	}
	doc, err := s.Read(entries[1].ID)
	if err != nil || doc.Body != "the second" {
		t.Errorf("two is %+v, %v", doc, err)
		return false
	}
	head, err := s.AuditLog().Head()
	if err != nil || head.Count != 3 {
		t.Errorf("the head is %v, %v", head, err)
		return false
	}
	return true
}

// What is recorded is made: readers show it before any file does, and change none; the next command that writes
// carries it out.
func TestInterruptedChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, before, after := interrupted(t, root)
	shows(t, s)
	report, err := s.Verify(t.Context())
	if err != nil || report.Err() != nil || len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0].Problem, "a change is in progress") {
		t.Errorf("%+v, %v", report, err)
	}
	if now := files(t, root); !maps.Equal(now, before) {
		t.Error("readers have changed files")
	}
	if again := mustWrite(t, s, source("one", "body")); again.Status != handoff.StatusExisting {
		t.Errorf("%+v", again)
	}
	if now := files(t, root); !maps.Equal(now, after) {
		t.Errorf("the files are %q, want %q", now, after)
	}
	mustWrite(t, s, source("three", "body"))
	if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || len(report.Warnings) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// Any of the parts of a change may be missing, as long as its event is: that comes last.
func TestPartsOfAChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, before, after := interrupted(t, root)
	parts := []string{"handoffs/2026-05-07-ann-ben-two.md", "handoffs/INDEX.md"}
	for set := range 1 << len(parts) {
		there := maps.Clone(before)
		for i, name := range parts {
			if set&(1<<i) != 0 {
				there[name] = after[name]
			}
		}
		putBack(t, root, there)
		if !shows(t, s) {
			t.Errorf("of the set %b", set)
		}
	}
	mustWrite(t, s, source("one", "body"))
	if now := files(t, root); !maps.Equal(now, after) {
		t.Errorf("the files are %q, want %q", now, after)
	}
}

// A journal that this user did not write for this store proves nothing, and carries out nothing: what it says of
// files is not done. It is refused until a repair has put it aside.
func TestForeignJournal(t *testing.T) {
	t.Parallel()
	foreign := func(t *testing.T, root, userState string) []byte {
		edit := func(o *handoff.Options) { o.UserState = userState }
		s := open(t, root, edit)
		mustWrite(t, s, source("planted", "body"))
		text, err := os.ReadFile(filepath.Join(root, ".run", "journal"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for name, plant := range map[string]func(t *testing.T, root string, own []byte) []byte{
		"another store": func(t *testing.T, root string, _ []byte) []byte { return foreign(t, t.TempDir(), root+".state") },
		"another user": func(t *testing.T, root string, _ []byte) []byte {
			aside := root + ".aside"
			if err := os.Rename(root, aside); err != nil {
				t.Fatal(err)
			}
			text := foreign(t, root, t.TempDir())
			if err := errors.Join(os.RemoveAll(root), os.Rename(aside, root)); err != nil {
				t.Fatal(err)
			}
			return text
		},
		"nonsense":   func(*testing.T, string, []byte) []byte { return []byte("{}\n") },
		"emptied":    func(*testing.T, string, []byte) []byte { return nil },
		"zeros":      func(_ *testing.T, _ string, own []byte) []byte { return make([]byte, len(own)) },
		"cut":        func(_ *testing.T, _ string, own []byte) []byte { return own[:300] },
		"a bit":      func(_ *testing.T, _ string, own []byte) []byte { own[50] ^= 1; return own },
		"no journal": func(*testing.T, string, []byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := open(t, root, nil)
			one := mustWrite(t, s, source("one", "body"))
			path := filepath.Join(root, ".run", "journal")
			own, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before, planted := files(t, root), plant(t, root, bytes.Clone(own))
			if err := os.WriteFile(path, planted, 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "no journal" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Write(t.Context(), source("two", "body")); !errors.Is(err, handoff.ErrIntegrity) {
				t.Errorf("written beside it: %v", err)
			}
			entries, err := s.List(handoff.Filter{})
			if err != nil || len(entries) != 1 || entries[0].ID != one.ID {
				t.Errorf("it lists %+v, %v", entries, err)
			}
			if report, err := s.Verify(t.Context()); err != nil || report.Err() == nil {
				t.Errorf("verify finds %+v, %v", report, err)
			}
			if now := files(t, root); !maps.Equal(now, before) {
				t.Errorf("the files are %q, want %q", now, before)
			}
			if text, err := os.ReadFile(path); name != "no journal" && (err != nil || !bytes.Equal(text, planted)) {
				t.Errorf("the journal was changed: %v", err)
			}
			_, err = s.Maintenance().Repair(t.Context())
			if strings.HasPrefix(name, "another ") { // that it is of this user is for the user to say
				if text, readErr := os.ReadFile(path); !errors.Is(err, handoff.ErrIntegrity) || readErr != nil || !bytes.Equal(text, planted) {
					t.Errorf("the repair: %v, %v", err, readErr)
				}
				_, err = s.Maintenance().Regenerate(t.Context(), "ann", name)
			}
			if err != nil {
				t.Fatal(err)
			}
			mustWrite(t, s, source("two", "body"))
			if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || report.Handoffs != 2 {
				t.Errorf("after a repair %+v, %v", report, err)
			}
		})
	}
}

// A journal whose bytes are damaged where nobody needs them yet stops nobody; verify finds it, and a repair begins a new one.
func TestDamagedCheckpoint(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("one", "body"))
	if _, err := s.Maintenance().Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, ".run", "journal")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[400] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, source("two", "body"))
	if report, err := s.Verify(t.Context()); err != nil || report.Err() == nil {
		t.Errorf("verify finds %+v, %v", report, err)
	}
	if done, err := s.Maintenance().Repair(t.Context()); err != nil || len(done.Done) != 1 || !strings.Contains(done.Done[0], "quarantined journal") {
		t.Fatalf("%v, %v", done, err)
	}
	mustWrite(t, s, source("three", "body"))
	if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || len(report.Warnings) != 0 || report.Handoffs != 3 {
		t.Errorf("%+v, %v", report, err)
	}
}

// A record that is torn was never acknowledged: it ends the journal. Where its lines stand in the audit log all the
// same, somebody has cut the journal, and that is refused until a repair has looked at it.
func TestTornRecord(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(record []byte){
		"zeros":   func(record []byte) { clear(record) },
		"half":    func(record []byte) { clear(record[len(record)/2:]) },
		"a bit":   func(record []byte) { record[len(record)-1] ^= 1 },
		"its mac": func(record []byte) { record[320] ^= 1 },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := open(t, root, nil)
			mustWrite(t, s, source("one", "body"))
			before := files(t, root)
			path := filepath.Join(root, ".run", "journal")
			old, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			mustWrite(t, s, source("two", "body"))
			after := files(t, root)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for ; text[at] == old[at]; at++ {
			}
			end := len(bytes.TrimRight(text, "\x00"))
			damage(text[at:end])
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Write(t.Context(), source("three", "body")); !errors.Is(err, handoff.ErrIntegrity) {
				t.Errorf("where its lines stand: %v", err)
			}
			if now := files(t, root); !maps.Equal(now, after) {
				t.Error("the files have changed")
			}
			putBack(t, root, before)
			forgetNewest(t, s) // it is written behind the sync
			mustWrite(t, s, source("three", "body"))
			entries, err := s.List(handoff.Filter{})
			if err != nil || len(entries) != 2 || entries[1].Topic != "three" {
				t.Errorf("it lists %+v, %v", entries, err)
			}
			if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || len(report.Warnings) != 0 {
				t.Errorf("%+v, %v", report, err)
			}
		})
	}
}

// A store that was moved or copied goes on once that was said, with what its journal had and its files do not show.
func TestMovedStore(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(from, to string) error{
		"moved":  os.Rename,
		"copied": func(from, to string) error { return os.CopyFS(to, os.DirFS(from)) },
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			first, second := filepath.Join(home, "first"), filepath.Join(home, "second")
			interrupted(t, first)
			if err := move(first, second); err != nil {
				t.Fatal(err)
			}
			s := open(t, second, func(o *handoff.Options) { o.UserState = first + ".state" })
			if _, err := s.Write(t.Context(), source("three", "body")); !errors.Is(err, handoff.ErrIntegrity) {
				t.Errorf("before that: %v", err)
			}
			if report, err := s.Verify(t.Context()); err != nil || report.Err() == nil {
				t.Errorf("verify finds %+v, %v", report, err)
			}
			if _, err := s.Maintenance().Regenerate(t.Context(), "ann", name); err != nil {
				t.Fatal(err)
			}
			entries, err := s.List(handoff.Filter{})
			if err != nil || len(entries) != 2 || entries[0].UnreadBy("ben") || entries[1].Topic != "two" {
				t.Errorf("it lists %+v, %v", entries, err)
			}
			mustWrite(t, s, source("three", "body"))
			report, err := s.Verify(t.Context())
			if err != nil || report.Err() != nil || report.Handoffs != 3 || report.Events != 5 {
				t.Errorf("%+v, %v", report, err)
			}
		})
	}
}

// An older state of which files do not show the last record yet loses nothing of it, and no event that informs.
func TestOlderStateThatWasInterrupted(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	s, _, _ := interrupted(t, root)
	older := contents(t, root)
	mustWrite(t, s, source("three", "body"))
	restore(t, root, older)
	if _, err := s.Write(t.Context(), source("three", "body")); !isOlder(err) {
		t.Errorf("a write: %v", err)
	}
	if _, err := s.Maintenance().Regenerate(t.Context(), "ann", "the disk broke"); err != nil {
		t.Fatal(err)
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil || len(entries) != 2 || entries[1].Topic != "two" {
		t.Errorf("it lists %+v, %v", entries, err)
	}
	if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || report.Handoffs != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}
