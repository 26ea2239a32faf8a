package record_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/schema"
)

// storeOfRuns is a store in which each task is written a second time one second later, and a third time at that same
// second.
func storeOfRuns(t *testing.T, tasks int) *handoff.Store {
	t.Helper()
	root := t.TempDir()
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), Rules: schema.Frontmatter(),
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil },
		Now:         func() time.Time { return time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	plain := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: "plain", Time: "2026-05-07T12:00:00Z", Body: "quotes handoff-record=run/1 in a line"}
	sources := []handoff.Source{{Fields: &plain}}
	for _, summary := range []string{"first", "second", "third"} {
		for n := range tasks {
			at := fmt.Sprintf("2026-05-07T12:00:0%dZ", min(1, len(sources)/(tasks+1)))
			r := run.Record{TaskID: fmt.Sprintf("task-%d", n), ProjectID: "p", Agent: "a", Status: "completed", Summary: summary, CreatedAt: at}
			sources = append(sources, record.RunSource(run.Draft{Record: r}, record.Options{Head: handoff.Document{To: "ben"}}))
		}
	}
	for _, source := range sources {
		if _, err := s.WriteAll(context.Background(), []handoff.Source{source}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestRuns(t *testing.T) {
	s := storeOfRuns(t, 3)
	entries, withheld, err := record.Runs(s)
	if err != nil || len(withheld) != 0 {
		t.Fatal(withheld, err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Record.TaskID[5:]+" "+e.Record.Summary)
	}
	if want := "2 third,1 third,0 third,2 second,1 second,0 second,2 first,1 first,0 first"; strings.Join(got, ",") != want {
		t.Errorf("newest first: %q, want %q", got, want)
	}
	id, err := record.NewestOfTask(s, "task-1")
	if err != nil || id != entries[1].HandoffID {
		t.Errorf("newest of task-1: %s %v", id, err)
	}
	if _, err := record.NewestOfTask(s, "task-9"); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("newest of task-9: %v", err)
	}
}

// A record that was changed is withheld; the one before it is the newest then.
func TestChangedRunIsWithheld(t *testing.T) {
	s := storeOfRuns(t, 1)
	id, err := record.NewestOfTask(s, "task-0")
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(got.Text), "third", "fifth")
	if err := os.WriteFile(filepath.Join(s.Dir(), got.Entry.File), []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	entries, withheld, err := record.Runs(s)
	if err != nil || len(entries) != 2 || entries[0].Record.Summary != "second" {
		t.Errorf("%+v %v", entries, err)
	}
	if len(withheld) != 1 || !errors.Is(withheld[0], handoff.ErrIntegrity) {
		t.Errorf("withheld %v", withheld)
	}
}
