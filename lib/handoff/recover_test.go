//go:build unix

package handoff_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// The intent lies where others may put files. One that does not continue the chain of this store's log is not carried
// out, whatever it says, and is found; a copy of an old one takes nothing away.
func TestForeignIntent(t *testing.T) {
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("one", "body"))
	log, err := os.ReadFile(filepath.Join(root, ".run", "handoff-events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(log))
	ledger, precious := filepath.Join(root, ".run", "consumed-tokens.jsonl"), filepath.Join(root, "precious.txt")
	for _, path := range []string{ledger, precious} {
		if err := os.WriteFile(path, []byte(`{"token":"taken","handoff_id":"x","operator_id":"y","ts_utc":"z"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(precious)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(precious)
	body := txn.Body{File: "../precious.txt", Inode: info.Sys().(*syscall.Stat_t).Ino, SHA256: canon.SHA256Hex(text)}
	head, err := s.AuditHead()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC)
	next, _, err := eventlog.Link(head.Hash, "handoff.resume", at, map[string]string{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, _, _ := eventlog.Link(strings.Repeat("0", 64), "handoff.resume", at, map[string]string{}, nil)
	state, err := durable.OpenDir(filepath.Join(root, ".run"))
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	for name, intent := range map[string]txn.Intent{
		"no event":             {Op: "resume", LedgerLine: "{}\n"},
		"no event at the end":  {Op: "resume", LedgerLine: "{}\n", LogOffset: size},
		"another chain":        {Op: "resume", LedgerLine: "{}\n", LogOffset: size, LogLines: string(elsewhere)},
		"no line":              {Op: "resume", LedgerLine: "{}\n", LogOffset: size, LogLines: strings.TrimSpace(string(next))},
		"a file outside":       {Op: "write", Index: "INDEX.md", Bodies: []txn.Body{body}, LogOffset: size, LogLines: string(next)},
		"an index outside":     {Op: "repair", Index: "../precious.txt", LogOffset: size, LogLines: string(next)},
		"the log as it was":    {Op: "resume", LedgerLine: "{}\n", LogLines: string(log)},
		"longer than the log":  {Op: "resume", LedgerLine: "{}\n", LogOffset: size + 1, LogLines: string(next)},
		"in the middle of one": {Op: "resume", LedgerLine: "{}\n", LogOffset: size / 2, LogLines: string(next)},
	} {
		path := filepath.Join(root, "handoffs", layout.Intent)
		putIntent(t, path, intent, txn.ReadKey(state))
		if _, err := s.Write(t.Context(), source("two", name)); !errors.Is(err, handoff.ErrIntegrity) {
			t.Errorf("%s: %v", name, err)
		}
		if report, err := s.Verify(t.Context()); err != nil || report.Err() == nil && name != "the log as it was" {
			t.Errorf("%s: verify finds %v, %v", name, report.Faults, err)
		}
		for _, kept := range []string{ledger, precious} {
			if now, err := os.ReadFile(kept); string(now) != string(text) {
				t.Errorf("%s: %s holds %q, %v", name, filepath.Base(kept), now, err)
			}
		}
		if now, _ := os.ReadFile(filepath.Join(root, ".run", "handoff-events.jsonl")); string(now) != string(log) {
			t.Errorf("%s: the log has changed", name)
		}
	}
}

// interrupted plants the intent of a write that was killed after it linked its body, made with the key.
func interrupted(t *testing.T, root string, s *handoff.Store, key txn.Key, place uint64) (body string) {
	t.Helper()
	body = filepath.Join(root, "handoffs", "2026-05-09-ann-ben-killed.md")
	text := []byte("what a killed command linked\n")
	if err := os.WriteFile(body, text, 0o644); err != nil {
		t.Fatal(err)
	}
	head, err := s.AuditHead()
	if err != nil {
		head = handoff.Checkpoint{Hash: eventlog.Genesis}
	}
	log, _ := os.ReadFile(filepath.Join(root, ".run", layout.Log))
	line, _, err := eventlog.Link(head.Hash, "handoff.write", time.Date(2026, 5, 9, 9, 0, 0, 0, time.UTC), map[string]string{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	intent := txn.Intent{Op: "write", Place: place, Index: layout.Index, LogOffset: int64(len(log)), LogLines: string(line),
		Bodies: []txn.Body{{File: filepath.Base(body), SHA256: canon.SHA256Hex(text), Inode: 1, ID: "sha256:" + strings.Repeat("0", 64)}}}
	putIntent(t, filepath.Join(root, "handoffs", layout.Intent), intent, key)
	return body
}

func putIntent(t *testing.T, path string, intent txn.Intent, key txn.Key) {
	t.Helper()
	var text bytes.Buffer
	if _, err := intent.Print(&text, key); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func ownKey(t *testing.T, root string) txn.Key {
	t.Helper()
	state, err := durable.OpenDir(filepath.Join(root, ".run"))
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	return txn.ReadKey(state)
}

// In a copy of a project files have other inodes. What a killed command linked there is taken back all the same.
func TestRecoveryInACopy(t *testing.T) {
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("one", "body"))
	body := interrupted(t, root, s, ownKey(t, root), 1)
	mustWrite(t, s, source("two", "body"))
	if _, err := os.Lstat(body); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", filepath.Base(body), err)
	}
	if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil {
		t.Errorf("%v, %v", report.Faults, err)
	}
}

// An intent that another state directory made, or nobody's, is refused, and where a new log is begun it goes aside.
func TestPlantedIntentIsRefused(t *testing.T) {
	another := txn.KeyOf(machine.Record{Secret: strings.Repeat("5e", 32)})
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("one", "body"))
	body := interrupted(t, root, s, another, 1)
	if _, err := s.Write(t.Context(), source("two", "body")); !errors.Is(err, handoff.ErrIntegrity) {
		t.Errorf("beside a log: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(root, ".run")); err != nil { // a clone has no state
		t.Fatal(err)
	}
	interrupted(t, root, s, another, 1)
	if _, err := s.Regenerate(t.Context(), "ann", "a clone"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(body); err != nil {
		t.Errorf("what the intent names is gone: %v", err)
	}
	aside, err := filepath.Glob(filepath.Join(root, "handoffs", "intent-*"))
	if err != nil || len(aside) != 1 {
		t.Errorf("put aside: %v, %v", aside, err)
	}
}
