//go:build linux

package tui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A day's work, key by key, with what the store says in the end.
func TestWork(t *testing.T) {
	t.Parallel()
	root, tty := project(t, docs()...), filepath.Join(t.TempDir(), "tty")
	s := startCommand(t, 160, 40, root, []string{"VISUAL=", "EDITOR=stty -a >" + tty + "; printf 'Thanks, all of it.' >"}, self(t), "inbox")
	s.sees("Unread 3", "Where it stands")

	s.press("\r") // reads and marks
	s.sees(`see the design is marked as read; u undoes it`, "read · ")
	s.press("\x1b")
	s.sees("Unread 2", "enter read")
	s.press("u")
	id := regexp.MustCompile(`mark as unread ([0-9a-f]{8}) The retries back off since 1f3c2aa; see the design\? y`).FindStringSubmatch(s.sees("mark as unread"))
	if id == nil {
		t.Fatal("u does not name what it undoes")
	}
	s.press("n")
	s.sees("nothing undone", "Unread 2")
	s.press("uy")
	s.sees(id[1]+` The retries back off since 1f3c2aa; see the design is as it was`, "Unread 3")
	s.press("u")
	s.sees("there is nothing to undo")
	s.press("\r\x1b")
	s.sees("Unread 2")
	s.press("t")
	s.sees(`see the design is taken`, "Taken 1", "taken by ben")
	s.press("u")
	s.sees("give back " + id[1] + " The retries")
	s.press("y") // it was read before it was taken
	s.sees(`see the design is as it was`, "Unread 2", "read · "+id[1])
	s.press("tu") // at once: the second key waits for the first
	s.sees("give back")
	s.press("y")
	s.sees(`is as it was`, "Unread 2")
	s.press("t")
	s.sees("taken by ben")
	s.press("r")
	s.sees("the reply to The retries back off since 1f3c2aa; see the design is stored; u undoes it")
	modes, err := os.ReadFile(tty)
	if err != nil || !strings.Contains(string(modes), " icanon") {
		t.Errorf("while the editor ran the terminal was %q, %v", modes, err)
	}
	s.press("d")
	s.sees(`see the design is done`, "Unread 2", "Done 1")
	s.press("uy") // it was taken
	s.sees(`see the design is as it was`, "Taken 1", "taken by ben")
	s.press("d")
	s.sees(`see the design is done`, "Done 1")
	s.press("s")
	s.sees(`git has no remote "origin" here; run`)
	s.press("/waits\r")
	s.sees("/waits ", "▌✓ The retries") // only the text has it
	s.press("\x1b")
	s.sees("Unread 2", "enter read")
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
	if err != nil || reply.To != "ann" || reply.Body != "Thanks, all of it.\n" || len(reply.References) != 1 || !strings.HasPrefix(reply.References[0], "re:sha256:") {
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
		s.sees("nothing stored")
		s.press("j")
		s.until("no message", func(text string) bool { return !strings.Contains(text, "nothing stored") })
		if code := s.quits(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

// Who is nobody can look, and is told how to be somebody.
func TestNobody(t *testing.T) {
	t.Parallel()
	s := startCommand(t, 80, 24, project(t, docs()...), []string{"HANDOFF_OPERATOR=", "XDG_CONFIG_HOME="}, self(t), "inbox")
	s.sees("Unread 5", "Where it stands")
	s.press("t")
	s.sees("know who you are")
	s.press("q")
	s.leaves()
}

// The inbox shows how the files that a handoff names compare with the work.
func TestNamedFiles(t *testing.T) {
	t.Parallel()
	root := project(t, handoff.Document{From: "ann", To: "ben", Topic: "notes", Time: "2026-11-22T08:00:00Z", Body: "See the notes.\n",
		References: []string{"file:notes.txt#sha256=" + strings.Repeat("0", 64)}})
	s := start(t, 80, 24, root, "inbox")
	s.sees("Work: the file gone")
	s.quits()
}

// What others do meanwhile is seen within a second: what they write, that they hold the lock, that all of it is gone.
func TestStoreChanges(t *testing.T) {
	t.Parallel()
	root := project(t, docs()...)
	s := start(t, 120, 24, root, "inbox", "--lock-timeout", "200ms")
	s.sees("Unread 3", "Where it stands")
	s.press("j")
	s.sees("now and then")
	began := time.Now()
	write(t, root, handoff.Document{From: "eve", To: "ben", Topic: "new-one", Time: "2026-11-22T08:59:00Z", Body: "Hot.\n"})
	s.sees("Unread 4", "Hot", "now and then")            // what was chosen stays
	if took := time.Since(began); took > 5*time.Second { // a second, and what a busy machine adds
		t.Errorf("seen after %v", took)
	}

	lock := flock.New(filepath.Join(root, "handoffs", ".INDEX.md.lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	s.press("t")
	s.sees("lock")
	s.press("g")
	s.sees("Hot")
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	s.press("t")
	s.sees("is taken")

	entries, err := open(t, root).List(handoff.Filter{Topic: "new-one"})
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	if err := os.WriteFile(filepath.Join(root, "handoffs", entries[0].File), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, root, handoff.Document{From: "eve", To: "ben", Topic: "other", Time: "2026-11-22T08:59:30Z"})
	s.sees("other")
	s.press("g")
	s.sees("eve → ben · just now")
	s.press("tjG")
	s.until("a refusal", func(text string) bool { return strings.Contains(text, "the document has no frontmatter") })
	s.press("q")
	s.leaves()
}
