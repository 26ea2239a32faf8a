//go:build unix

package txn_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/journal"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Only one session at a time holds a store, even if its lock file was removed, and it releases everything.
func TestSessionsExclude(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	for _, removed := range []bool{false, true} {
		x, err := txn.Enter(t.Context(), w.Store, 0)
		if err != nil {
			t.Fatal(err)
		}
		if removed {
			w.remove(disk.Lock)
		}
		if _, err := txn.Enter(t.Context(), w.Store, 0); !errors.Is(err, fault.ErrBusy) {
			t.Errorf("removed is %v: %v", removed, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("left")
		cancel(cause)
		if _, err := txn.Enter(ctx, w.Store, time.Hour); !errors.Is(err, cause) && !errors.Is(err, fault.ErrBusy) {
			t.Errorf("removed is %v: %v", removed, err)
		}
		x.End()
	}
	w.publish("b")
}

// A lock file that is removed or replaced while it is held excludes no one, so nothing is changed.
func TestLockIsRemoved(t *testing.T) {
	for _, again := range []bool{false, true} {
		w := newWorld(t)
		w.publish("a")
		before := w.content()
		err := w.locked(func(x *txn.Session) error {
			w.remove(disk.Lock)
			if again {
				w.write("other", "")
				if err := os.Rename(w.path("other"), w.path(disk.Lock)); err != nil {
					t.Fatal(err)
				}
			}
			return x.Reindex(disk.IndexFile, []byte(w.read(disk.IndexFile)), nil)
		})
		if !errors.Is(err, fault.ErrBusy) {
			t.Errorf("again is %v: %v", again, err)
		}
		w.write(disk.Lock, "")
		w.mustBe(before)
	}
}

// An entry that cannot be a lock or a log is named in the error and not replaced.
func TestPlacesThatCannotBe(t *testing.T) {
	for name, class := range map[string]error{disk.Lock: fault.ErrConfig, disk.LogFile: fault.ErrIntegrity, disk.IndexFile: fault.ErrIntegrity} {
		w := newWorld(t)
		w.publish("a")
		if err := os.Rename(w.path(name), w.path("moved")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(w.path("moved"), w.path(name)); err != nil {
			t.Fatal(err)
		}
		if err := publish(w.Store, "b"); !errors.Is(err, class) {
			t.Errorf("%s: %v", name, err)
		}
		if w.isThere(fileOf("b")) || strings.Contains(w.read("moved"), fileOf("b")) {
			t.Errorf("%s: something was written", name)
		}
	}
}

// Optional records are made only if nothing prevents them.
func TestTryRecord(t *testing.T) {
	event := eventlog.Pending{Type: eventlog.TypeSurface, Payload: eventlog.Surfaced{OperatorID: "ben", Count: 1}}
	for name, test := range map[string]struct {
		make func(*world)
		done bool
	}{
		"a store":         {func(*world) {}, true},
		"no log":          {func(w *world) { w.remove(disk.LogFile) }, false},
		"interrupted":     {func(w *world) { w.write(disk.LogFile, "") }, false},
		"another journal": {func(w *world) { w.write(journal.FileName, "") }, false},
		"another machine": {func(w *world) { w.Opt.Fingerprint = func() (string, error) { return other, nil } }, false},
		"no machine":      {func(w *world) { w.Opt.Fingerprint = func() (string, error) { return "", errors.New("none") } }, false},
		"held": {func(w *world) {
			x, err := txn.Enter(t.Context(), w.Store, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(x.End)
		}, false},
	} {
		w := newWorld(t)
		w.publish("a")
		test.make(w)
		before := w.read(disk.LogFile)
		if done := txn.TryRecord(t.Context(), w.Store, event); done != test.done {
			t.Errorf("%s: %v", name, done)
		}
		if grown := w.read(disk.LogFile) != before; grown != test.done {
			t.Errorf("%s: grown is %v", name, grown)
		}
	}
}

// A store of another machine is refused before anything else. Each refusal is logged.
func TestGuard(t *testing.T) {
	w := newWorld(t)
	if _, err := txn.Guard(w.Store); err != nil {
		t.Errorf("no store yet: %v", err)
	}
	w.publish("a")
	if _, err := txn.Guard(w.Store); err != nil {
		t.Error(err)
	}
	w.Opt.Fingerprint = func() (string, error) { return other, nil }
	before := w.content()
	for range 2 {
		var refused *store.MachineError
		if _, err := txn.Guard(w.Store); !errors.As(err, &refused) || refused.Observed != other {
			t.Fatal(err)
		}
	}
	if err := publish(w.Store, "b"); !errors.Is(err, fault.ErrIntegrity) {
		t.Error(err)
	}
	w.mustBe(before)
	if lines := strings.Split(w.read(disk.Refusals), "\n"); len(lines) != 4 || !strings.Contains(lines[1], `"event":"CROSS-HOST-REFUSED"`) || !strings.Contains(lines[1], other) {
		t.Errorf("%q", lines)
	}
}

// The first session records the machine with its writer and store, and hides the state from git. Later
// sessions change neither.
func TestFirstSession(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	first := w.read(disk.FingerprintFile)
	r, err := disk.ParseMachineRecord([]byte(first))
	if err != nil || len(r.Store) != 32 || r.Writer == "" || r.Fingerprint != strings.Repeat("11", 32) {
		t.Errorf("%+v, %v", r, err)
	}
	if ignored, err := os.ReadFile(w.Opt.StateDir + "/" + disk.GitIgnore); string(ignored) != "*\n" {
		t.Errorf("%q, %v", ignored, err)
	}
	w.publish("b")
	if w.read(disk.FingerprintFile) != first {
		t.Error("the record was made again")
	}
}

// Another machine takes a store over with an event, a line of the history and a new writer: the state
// directory may be a copy.
func TestRegenerate(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	old, _ := disk.ParseMachineRecord([]byte(w.read(disk.FingerprintFile)))
	for range 2 {
		err := w.locked(func(x *txn.Session) error {
			return x.Regenerate(disk.MachineRecord{Fingerprint: other, FirstSeenUTC: aTime}, "ann", "moved", 0)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := disk.ParseMachineRecord([]byte(w.read(disk.FingerprintFile)))
	if err != nil || r.Fingerprint != other || r.Store != old.Store || r.Writer == old.Writer || r.Writer == "" {
		t.Errorf("%+v, %v", r, err)
	}
	if strings.Count(w.read(disk.LogFile), "machine_fingerprint.regenerate") != 2 {
		t.Error(w.content())
	}
}
