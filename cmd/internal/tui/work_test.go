//go:build linux

package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A day's work, key by key, with what the store says in the end.
func TestWork(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, tty := project(t, docs()...), filepath.Join(t.TempDir(), "tty")
	s := startCommand(t, 160, 40, root, []string{"VISUAL=", "EDITOR=stty -a >" + tty + "; printf 'Thanks, all of it.' >"}, self, "inbox")
	s.sees("Inbox 3 · 3 new", "Where it stands")

	s.press("m")
	s.sees(`see the design" is marked as read`, "u takes that back", "Inbox 3 · 2 new")
	s.press("u")
	s.sees(`see the design" is unread again`, "Inbox 3 · 3 new")
	s.press("u")
	s.sees("there is nothing to undo")
	s.press("m")
	s.sees("Inbox 3 · 2 new")
	s.press("t")
	s.sees(`see the design" is taken`, "taken by ben")
	s.press("u") // it was read before it was taken
	s.sees(`see the design" is released`, "Inbox 3 · 2 new", "h ago read")
	s.press("tu") // at once: the second key waits for the first
	s.sees(`see the design" is released`, "Inbox 3 · 2 new")
	s.press("t")
	s.sees("taken by ben")
	s.press("d")
	s.sees(`see the design" is done`, "Inbox 2")
	s.press("u") // it was taken
	s.sees(`see the design" is open again`, "Inbox 3", "h ago taken")
	s.press("u")
	s.sees(`see the design" is released`, "h ago read")
	s.press("k")
	s.sees("Where it stands")
	s.press("r")
	s.sees("see the design: answered", "Sent 2", "All 6")
	modes, err := os.ReadFile(tty)
	if err != nil || !strings.Contains(string(modes), " icanon") {
		t.Errorf("while the editor ran the terminal was %q, %v", modes, err)
	}
	s.press("d")
	s.sees(`see the design" is done`, "Inbox 2")
	s.press("u")
	s.sees(`see the design" is open again`, "Inbox 3")
	s.press("kd")
	s.sees(`see the design" is done`, "Inbox 2")
	s.press("\t\t")
	s.sees("They are in")
	s.press("fCLEO waits\r")
	s.sees("3 handoffs about CLEO waits", "Tell cleo")
	s.press("\x1b")
	s.sees("They are in")
	s.press("q")
	if code := s.leaves(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	store := open(t, root)
	entries, err := store.List(handoff.Filter{From: "ben"})
	if err != nil || len(entries) != 2 {
		t.Fatalf("ben sent %v, %v", entries, err)
	}
	reply, err := store.Load(entries[1])
	if err != nil || reply.To != "ann" || reply.Body != "Thanks, all of it." || len(reply.References) != 1 || !strings.HasPrefix(reply.References[0], "re:sha256:") {
		t.Errorf("the reply is %+v, %v", reply.Document, err)
	}
}

// An empty answer and the end of the input leave the question of a new handoff, and not the inbox.
func TestQuestionIsLeft(t *testing.T) {
	t.Parallel()
	for _, leave := range []func(*session){
		func(s *session) { s.press("\r") },
		func(s *session) { s.press("\x04") },
	} {
		s := start(t, 80, 24, project(t, docs()...))
		s.sees("Three tests fail")
		s.press("n")
		s.until("no question", func(text string) bool { return strings.Contains(text, "to:") })
		leave(s)
		s.sees("no answer; nothing stored")
		s.press("j")
		s.until("no message", func(text string) bool { return !strings.Contains(text, "no answer") })
		if code := s.quits(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

// Who is nobody can look, and is told how to be somebody.
func TestNobody(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, 80, 24, project(t, docs()...), []string{"HANDOFF_OPERATOR=", "XDG_CONFIG_HOME="}, self, "inbox")
	s.sees("All 5", "Where it stands")
	s.press("t")
	s.sees("know who you are")
	s.press("q")
	s.leaves()
}

// What others do meanwhile is seen within a second: what they write, that they hold the lock, that all of it is gone.
func TestStoreChanges(t *testing.T) {
	t.Parallel()
	root := project(t, docs()...)
	s := start(t, 120, 24, root, "inbox", "--lock-timeout", "200ms")
	s.sees("Inbox 3", "Where it stands")
	s.press("j")
	s.sees("now and then")
	began := time.Now()
	write(t, root, handoff.Document{From: "eve", To: "ben", Topic: "new-one", Time: "2026-11-22T08:59:00Z", Body: "Hot.\n"})
	s.sees("Inbox 4", "Hot", "now and then") // what was chosen stays
	t.Logf("seen after %v", time.Since(began))

	lock := flock.New(filepath.Join(root, "handoffs", ".INDEX.md.lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	s.press("m")
	s.sees("lock")
	s.press("g")
	s.sees("Hot")
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	s.press("m")
	s.sees("marked as read")

	away := filepath.Join(root, "away")
	if err := os.Rename(filepath.Join(root, "handoffs"), away); err != nil {
		t.Fatal(err)
	}
	s.press("j")
	s.sees("the handoffs directory is gone")
	s.press("j")
	s.sees("Hot")
	if err := os.Rename(away, filepath.Join(root, "handoffs")); err != nil {
		t.Fatal(err)
	}
	s.until("no trouble", func(text string) bool { return !strings.Contains(text, "gone") })

	entries, err := open(t, root).List(handoff.Filter{Topic: "new-one"})
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	if err := os.WriteFile(filepath.Join(root, "handoffs", entries[0].File), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.press("g")
	s.sees("new-one")
	write(t, root, handoff.Document{From: "eve", To: "ann", Topic: "other", Time: "2026-11-22T08:59:00Z"})
	s.until("a refusal", func(text string) bool {
		return strings.Contains(text, "the document has no frontmatter")
	})
	s.press("q")
	s.leaves()
}
