package txn_test

import (
	"fmt"

	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// The facts about one handoff are the same whether the caller asks for one handoff or for all.
func TestPastOfOneIsThatOfAll(t *testing.T) {
	dir := t.TempDir()
	ids := make([]string, 4)
	for i := range ids {
		ids[i] = fmt.Sprintf("sha256:%062d%02d", 0, i) // which begin alike
	}
	ids[3] = "sha256:" + strings.Repeat("f", 64)
	rapid.Check(t, func(t *rapid.T) {
		var log strings.Builder
		add := func(kind string, payload any) {
			line, _, err := eventlog.Link(eventlog.Genesis, kind, time.Unix(0, 0), payload, nil)
			if err != nil {
				t.Fatal(err)
			}
			log.Write(line)
		}
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			id := rapid.SampledFrom(ids).Draw(t, "id")
			switch rapid.SampledFrom([]string{"write", "adopted", "mark", "adoption", "marker"}).Draw(t, "kind") {
			case "write":
				add(eventlog.TypeWrite, eventlog.Written{HandoffID: id})
			case "adopted":
				add(eventlog.TypeWrite, eventlog.Written{HandoffID: id, Adopted: true})
			case "mark":
				add(eventlog.TypeMarkRead, eventlog.MarkedRead{HandoffID: id, OperatorID: rapid.SampledFrom([]string{"ben", "cy"}).Draw(t, "operator"), Time: "2026-05-08T09:00:00Z"})
			case "adoption":
				add(eventlog.TypeRecovered, eventlog.Recovered{Reason: "x", AdoptedRows: 1})
			case "marker":
				log.WriteString("[" + id + "]\n")
			}
		}
		if err := os.WriteFile(filepath.Join(dir, disk.LogFile), []byte(log.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		at := &store.Store{Opt: store.Options{StateDir: dir}}
		all, err := (&txn.History{Store: at}).About("")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			one, err := (&txn.History{Store: at}).About(id)
			if err != nil || one.AdoptedAt != all.AdoptedAt {
				t.Fatalf("%q, %q, %v", one.AdoptedAt, all.AdoptedAt, err)
			}
			if is, want := one.Of(id), all.Of(id); is.Adopted != want.Adopted || is.ReadBy != want.ReadBy || is.IsWritten() != want.IsWritten() {
				t.Fatalf("of %s: %+v, %+v\n%s", id, is, want, log.String())
			}
		}
	})
}
