//go:build unix

package handoff_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// That nothing is unread is remembered for exactly as long as no index file is touched.
func TestUnreadQuickly(t *testing.T) {
	root := t.TempDir()
	now := time.Now()
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, Rules: schema.Frontmatter(),
		Now: func() time.Time { return now }, Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	document := func(i int) handoff.Source {
		return handoff.Source{Fields: &handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: fmt.Sprint("topic-", i), Time: "2026-05-07T12:00:00Z", Body: "x"}}
	}
	var sources []handoff.Source
	for i := range 1500 {
		sources = append(sources, document(i))
	}
	sources[0].Fields.To = "cat"
	if _, err := s.WriteAll(t.Context(), sources); err != nil {
		t.Fatal(err)
	}
	indexPath, quietPath := filepath.Join(s.Dir(), "INDEX.md"), filepath.Join(root, ".run", "quiet.json")
	unread := func(operator string) int {
		t.Helper()
		in, err := s.UnreadQuickly(operator, 0)
		if err != nil {
			t.Fatal(err)
		}
		return in.Count()
	}
	if n := unread("ben"); n != 1499 {
		t.Fatalf("%d unread", n)
	}
	if _, err := s.MarkAllRead(t.Context(), "ben"); err != nil {
		t.Fatal(err)
	}
	if n := unread("ben"); n != 0 || exists(quietPath) {
		t.Errorf("%d unread; remembered, although the index was written just now: %v", n, exists(quietPath))
	}
	now = now.Add(time.Minute)
	if n := unread("ben") + unread("cat"); n != 1 || !exists(quietPath) {
		t.Fatalf("%d unread; remembered: %v", n, exists(quietPath))
	}
	memory := read(t, quietPath)
	if n := unread("ben"); n != 0 || !bytes.Equal(read(t, quietPath), memory) {
		t.Errorf("%d unread; %s", n, read(t, quietPath))
	}

	// That it is used shows when it is wrong; a row that changes and keeps its length and time is seen.
	text := read(t, indexPath)
	info, err := os.Stat(indexPath)
	if err != nil {
		t.Fatal(err)
	}
	write(t, quietPath, bytes.ReplaceAll(memory, []byte(`"ben"`), []byte(`"cat"`)))
	if n := unread("cat"); n != 0 {
		t.Errorf("what is remembered is not used: %d unread", n)
	}
	write(t, quietPath, memory)
	write(t, indexPath, bytes.Replace(text, []byte(" ben:2"), []byte(" bob:2"), 1))
	if err := os.Chtimes(indexPath, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if n := unread("ben"); n != 1 {
		t.Errorf("after an edit %d unread", n)
	}
	write(t, indexPath, text)
	if _, err := s.WriteAll(t.Context(), []handoff.Source{document(1500)}); err != nil {
		t.Fatal(err)
	}
	if n := unread("ben"); n != 1 {
		t.Errorf("after a write %d unread", n)
	}
	for _, garbage := range []string{"", "{", "null", `[{"operator_id":"ben"}]`, `[{"operator_id":"ben","files":[]}]`} {
		write(t, quietPath, []byte(garbage))
		if n := unread("ben"); n != 1 {
			t.Errorf("%q: %d unread", garbage, n)
		}
	}
	if report, err := s.Verify(t.Context()); err != nil || len(report.Faults)+len(report.Warnings) > 0 {
		t.Errorf("%v %v", report, err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
