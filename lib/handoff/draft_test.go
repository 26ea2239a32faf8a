//go:build unix

package handoff_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func mustSave(t *testing.T, s *handoff.Store, d handoff.Draft) handoff.Draft {
	t.Helper()
	saved, err := s.Sessions().SaveDraft(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// What a hook leaves is bounded; what a person wrote stays until it is published or discarded.
func TestHookDraftsAreBounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	now := time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC)
	s := open(t, root, func(o *handoff.Options) { o.Now = func() time.Time { return now } })
	for i := range 40 {
		mustSave(t, s, handoff.Draft{Text: fmt.Sprint("work ", i)})
	}
	for i := range 100 {
		now = now.Add(time.Second)
		mustSave(t, s, handoff.Draft{Hook: true, Agent: "claude", Session: fmt.Sprint(i / 2), Text: fmt.Sprint("session ", i)})
	}
	drafts, err := s.Sessions().Drafts()
	if err != nil || len(drafts) != 72 {
		t.Fatalf("%d drafts, %v", len(drafts), err)
	}
	if last := drafts[71]; last.Text != "session 99" || drafts[40].Text != "session 37" {
		t.Errorf("%q … %q", drafts[40].Text, last.Text)
	}
	all, saved := s.Sessions().CountDrafts("claude", "")
	if other, _ := s.Sessions().CountDrafts("claude", "49"); len(all) != 32 || saved != 40 || len(other) != 31 {
		t.Errorf("%d drafts, %d saved, %d of others", len(all), saved, len(other))
	}
}

// A draft needs no lock: whoever holds it and hangs loses nobody's work.
func TestDraftsAtOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, func(o *handoff.Options) { o.LockTimeout = time.Hour })
	mustWrite(t, s, source("one", "body"))
	defer lock(t, root)()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			text := fmt.Sprint("work ", i%8)
			d, err := s.Sessions().SaveDraft(context.Background(), handoff.Draft{Text: text})
			if err != nil || d.Text != text {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	all.Wait()
	drafts, err := s.Sessions().Drafts()
	if err != nil || len(drafts) != 8 {
		t.Errorf("%d drafts, %v", len(drafts), err)
	}
}

func TestDraftKeepsEveryByte(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	for _, text := range []string{"a", "\n\n a \r\n", "<b>&\u2028\u202e\ufeff", strings.Repeat("\x01", 1<<20)} {
		d := mustSave(t, s, handoff.Draft{Document: handoff.Document{To: "ben", References: []string{"<&>"}}, Text: text})
		got, err := s.Sessions().Draft(d.ID[:8])
		if err != nil || got.Text != text || got.References[0] != "<&>" {
			t.Errorf("%.20q came back as %.20q, %v", text, got.Text, err)
		}
		if err := s.Sessions().RemoveDraft(got); err != nil {
			t.Error(err)
		}
		if _, err := s.Sessions().Draft(d.ID); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("a removed draft: %v", err)
		}
	}
	for _, text := range []string{"", " \n", "\xff", "a\x00b", strings.Repeat("a", 1<<20+1)} {
		if _, err := s.Sessions().SaveDraft(context.Background(), handoff.Draft{Text: text}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestDraftKeepsEveryField: a field of the frontmatter that a draft does not keep would be lost when it is published.
func TestDraftKeepsEveryField(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	var doc handoff.Document
	fields := reflect.ValueOf(&doc).Elem()
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; name == "Body" {
			continue // the text of the draft
		} else if f := fields.Field(i); f.Kind() == reflect.String {
			f.SetString("value of " + name)
		} else {
			f.Set(reflect.ValueOf([]string{"value of " + name, "<&>"}))
		}
	}
	d := mustSave(t, s, handoff.Draft{Document: doc, Text: "text"})
	got, err := s.Sessions().Draft(d.ID)
	if err != nil || !reflect.DeepEqual(got.Document, doc) {
		t.Errorf("%+v came back as %+v, %v", doc, got.Document, err)
	}
	if over := (handoff.Document{}).Over(doc); !reflect.DeepEqual(over, doc) {
		t.Errorf("over nothing it is %+v", over)
	}
	over := (handoff.Document{To: "cy", Tags: []string{"own"}}).Over(doc)
	if over.To != "cy" || over.From != doc.From || !slices.Equal(over.Tags, append(doc.Tags, "own")) {
		t.Errorf("the flags over the draft give %+v", over)
	}
}
