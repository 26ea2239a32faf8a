// Command example hands work over and takes it, with what other programs can import.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// run hands work over in an empty directory.
func run(ctx context.Context, root string) error {
	store, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), Root: root, Rules: schema.Frontmatter()})
	if err != nil {
		return err
	}
	receipt, err := store.Write(ctx, []byte("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: deploy\nts_utc: '2026-05-07T12:00:00Z'\n---\nTests are green.\n"))
	if err != nil {
		return err
	}
	var entry handoff.Entry
	if entry, err = store.Find(receipt.ID); err != nil {
		return err
	}
	var taken handoff.ActReceipt
	if taken, err = store.Act(ctx, handoff.ActTake, entry.ID, handoff.Who{Operator: "ben"}); err != nil {
		return err
	}
	var found handoff.Found
	if found, err = store.Search(ctx, handoff.Query{Words: []string{"green"}}); err != nil {
		return err
	}
	var report handoff.Report
	if report, err = store.Verify(ctx); err != nil {
		return err
	}
	var head handoff.Head
	if head, err = store.AuditLog().Head(ctx); err != nil {
		return err
	}
	fmt.Println(taken.State, len(found.Matches), len(report.Faults), head.Count)
	return nil
}
