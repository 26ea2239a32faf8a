//go:build unix

package handoff_test

import (
	"errors"
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
		file, err := intent.Bytes(txn.ReadKey(state))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, "handoffs", layout.Intent)
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
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
