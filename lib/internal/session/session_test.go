//go:build unix

package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/session"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A room has the drafts of a store in a temporary directory, and a clock that tests move.
type room struct {
	session.Box
	now      time.Time
	machine  string
	warnings []string
}

func newRoom(t *testing.T) *room {
	r := &room{now: time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC), machine: strings.Repeat("11", 32)}
	root := t.TempDir()
	r.Box = session.Box{MaxBytes: 1 << 20, Screen: func(*session.Draft) error { return nil },
		At: &store.Store{Opt: store.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"),
			Root: root, UserState: filepath.Join(t.TempDir(), "state"), LockTimeout: time.Second,
			Fingerprint: func() (string, error) { return r.machine, nil }, Now: func() time.Time { return r.now },
			Warn: func(text string) { r.warnings = append(r.warnings, text) }, Lost: func(err error) { t.Error(err) }}}}
	return r
}

func (r *room) save(t *testing.T, text string) session.Draft {
	t.Helper()
	d, err := r.Save(t.Context(), session.Draft{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// keep keeps a text for a session of claude, as a hook does.
func (r *room) keep(t *testing.T, of, text string) {
	t.Helper()
	if err := r.Keep(t.Context(), "claude", of, true, func(d session.Draft) session.Draft {
		d.Text = text
		return d
	}); err != nil {
		t.Fatal(err)
	}
}

func (r *room) texts(t *testing.T) string {
	t.Helper()
	all, err := r.All()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, d := range all {
		texts = append(texts, d.Text)
	}
	return strings.Join(texts, " ")
}

func TestSavedDraft(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	first, again := r.save(t, "one"), r.save(t, "one")
	if first.ID != again.ID {
		t.Error("the same text is two drafts")
	}
	r.now = r.now.Add(time.Minute)
	second := r.save(t, "two")
	if got := r.texts(t); got != "one two" {
		t.Errorf("the drafts are %q", got)
	}
	if d, err := r.Get(second.ID[:4]); err != nil || d.Text != "two" || d.Foreign {
		t.Errorf("%+v, %v", d, err)
	}
	for _, id := range []string{"", second.ID[:3], "zzzz", "0000"} {
		if d, err := r.Get(id); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q is the draft %+v, %v", id, d, err)
		}
	}
	if err := r.Remove(first); err != nil || r.texts(t) != "two" {
		t.Errorf("%v; the drafts are %q", err, r.texts(t))
	}
	if err := r.Remove(first); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

// TestChangedDraft: each byte of a draft counts, and so does its name.
func TestChangedDraft(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	d := r.save(t, "text of a draft")
	names, err := filepath.Glob(filepath.Join(r.At.Opt.StateDir, disk.Drafts, d.ID+"*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for at := range text {
		changed := append([]byte{}, text...)
		changed[at] ^= 1
		if err := os.WriteFile(names[0], changed, 0o600); err != nil {
			t.Fatal(err)
		}
		r.warnings = nil
		if _, err := r.Get(d.ID); !errors.Is(err, fault.ErrIntegrity) || r.texts(t) != "" || len(r.warnings) != 1 {
			t.Fatalf("byte %d: %v, the drafts are %q, warnings %q", at, err, r.texts(t), r.warnings)
		}
	}
	if err := os.WriteFile(names[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	r.machine = strings.Repeat("22", 32)
	if d, err := r.Get(d.ID); err != nil || !d.Foreign {
		t.Errorf("on another machine: %+v, %v", d, err)
	}
	if left, saved := r.Count("claude", "s-1"); len(left)+saved != 0 {
		t.Errorf("on another machine %d and %d count", len(left), saved)
	}
}

func TestDraftsOfHooks(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.keep(t, "s-1", "first")
	r.keep(t, "s-1", "second")
	r.now = r.now.Add(time.Minute)
	r.keep(t, "s-2", "other")
	if got := r.texts(t); got != "second other" {
		t.Errorf("the drafts are %q", got)
	}
	if left, saved := r.Count("claude", "s-2"); len(left) != 1 || saved != 0 {
		t.Errorf("the session s-2 is told of %d drafts and %d saved ones", len(left), saved)
	}
	r.save(t, "by hand")
	r.now = r.now.Add(15 * 24 * time.Hour)
	if got := r.texts(t); got != "by hand" {
		t.Errorf("after 15 days the drafts are %q", got)
	}
	r.keep(t, "s-3", "newest")
	names, err := os.ReadDir(filepath.Join(r.At.Opt.StateDir, disk.Drafts))
	if err != nil || len(names) != 2 {
		t.Errorf("%d files are left, %v", len(names), err)
	}
	r.keep(t, "s-3", "")
	if got := r.texts(t); got != "by hand" {
		t.Errorf("without a text the drafts are %q", got)
	}
	for n := range 40 {
		r.now = r.now.Add(time.Second)
		r.keep(t, fmt.Sprint("many-", n), fmt.Sprint("text ", n))
	}
	left, saved := r.Count("codex", "")
	if len(left) != 32 || saved != 1 || strings.Contains(r.texts(t), "text 7 ") {
		t.Errorf("%d drafts of 40 sessions are kept, and %d saved ones: %s", len(left), saved, r.texts(t))
	}
}

// TestDraftOfProcess: what a session leaves is seen once its process has gone, unless it wrote a handoff.
func TestDraftOfProcess(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	process := exec.Command("sleep", "600")
	if err := process.Start(); err != nil {
		t.Skip(err)
	}
	for _, of := range []string{"writes", "dies"} {
		if err := r.Keep(t.Context(), "claude", of, true, func(session.Draft) session.Draft {
			return session.Draft{Text: of, Process: disk.Process(process.Process.Pid), Kept: session.Kept{Last: "words"},
				Document: document.Document{Topic: "recovered-session"}}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.texts(t); got != "" || r.HasDied("dies") {
		t.Errorf("while it runs the drafts are %q", got)
	}
	if err := r.Written(context.Background(), "claude", "writes"); err != nil {
		t.Fatal(err)
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait() // it was killed
	if got := r.texts(t); got != "dies" || !r.HasDied("dies") || r.HasDied("unknown") || r.HasDied("") {
		t.Errorf("once it is gone the drafts are %q", got)
	}
}
