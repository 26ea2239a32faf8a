package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

func open(t testing.TB) *store.Store {
	dir := t.TempDir()
	return &store.Store{Opt: store.Options{Dir: filepath.Join(dir, "handoffs"), StateDir: filepath.Join(dir, ".run"),
		Root: dir, UserState: filepath.Join(t.TempDir(), "handoff"), OperatorsFile: filepath.Join(dir, "OPERATORS.md"),
		Git: disk.GitNone, LockTimeout: time.Minute, IndexMaxRows: 5000, Now: time.Now, Warn: func(s string) { t.Log(s) },
		Fingerprint: func() (string, error) {
			return "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", nil
		}}}
}

func doc(topic string) store.Document {
	d := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: "2026-05-07T12:00:00Z",
		Body: "# body\n"}
	d.HandoffID, _ = document.ID(d)
	return store.Document{Document: d, Size: len(d.Body), Text: func() ([]byte, error) { return document.Render(d), nil }}
}

func TestWrite(t *testing.T) {
	s := open(t)
	for range 2 {
		out, err := s.Write(context.Background(), []store.Document{doc("one"), doc("two"), doc("one")}, func(*store.Change) {}, nil)
		t.Log(out, err)
		if err != nil {
			t.Fatal(err)
		}
	}
	look, err := s.Look(false)
	if err != nil || len(look.Listed()) != 2 {
		t.Fatal(look, err)
	}
	err = s.Change(context.Background(), func(c *store.Change) error {
		c.Mark(c.Of(doc("one").HandoffID), log.MarkRead, "ben")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	look, err = s.Look(true)
	if err != nil || !look.Life(look.Of(doc("one").HandoffID)).IsReadBy("ben") {
		t.Error(look, err)
	}
}
