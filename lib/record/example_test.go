package record_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// A packet is stored, and found again in the handoff that carries it.
func ExampleSource() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := handoff.Open(handoff.Options{Dir: filepath.Join(dir, "handoffs"), Rules: schema.Frontmatter(), CheckBody: record.CheckBody,
		Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }}) // leave it out: it is for this example to run anywhere
	if err != nil {
		panic(err)
	}
	packet := `{
  "objective": "Move the invoice service to PostgreSQL", "completed": ["Schema translated"], "unresolved": ["The export reads from MySQL"],
  "assumptions": ["The window on Saturday stands"], "next_action": "Ask who owns the export", "risks": ["Rows could be lost"],
  "updated_at": "2026-05-07T12:00:00Z", "resume_token": "sess_9f2c_invoices", "agent": "agent:codex", "task": "invoices"
}`
	receipts, err := store.WriteAll(context.Background(), []handoff.Source{record.Source("packet.json", []byte(packet), record.Options{Head: handoff.Document{To: "ben"}})})
	if err != nil {
		panic(err)
	}
	stored, err := store.Read(receipts[0].ID)
	if err != nil {
		panic(err)
	}
	block, err := record.Extract(stored)
	if err != nil {
		panic(err)
	}
	fmt.Println(filepath.Base(receipts[0].Path), block.Kind, block.Version)
	fmt.Print(strings.SplitAfter(block.View, "\n")[2])
	// Output:
	// 2026-05-07-codex-ben-invoices.md packet 1
	// - **Objective:** Move the invoice service to PostgreSQL
}
