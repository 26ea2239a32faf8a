package handoff_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// Write a handoff, find it, read it, and mark it as read.
func Example() {
	root, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	ctx := context.Background()

	store, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), Root: root, Rules: schema.Frontmatter()})
	if err != nil {
		panic(err)
	}
	document := []byte("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: deploy\nts_utc: '2026-05-07T12:00:00Z'\n---\nTests are green.\n")
	receipt, err := store.Write(ctx, document)
	if err != nil {
		panic(err)
	}
	fmt.Println(receipt.Status, receipt.Path)

	entries, err := store.List(handoff.Filter{To: "ben", Unread: true})
	if err != nil {
		panic(err)
	}
	stored, err := store.Read(entries[0].ID)
	if err != nil {
		panic(err)
	}
	fmt.Print(stored.Body)

	marks, err := store.MarkRead(ctx, "ben", stored.HandoffID)
	if err != nil {
		panic(err)
	}
	fmt.Println(marks[0].Status)
	// Output:
	// created handoffs/2026-05-07-ann-ben-deploy.md
	// Tests are green.
	// changed
}

// The id of a document depends on its content alone.
func ExampleID() {
	id, err := handoff.ID(handoff.Document{SchemaVersion: "1.0", From: "alice", To: "bob", Topic: "topic-1",
		Time: "2026-11-20T10:00:00Z", Tags: []string{"x"}, Body: "# body\nhello\n"})
	fmt.Println(id, err)
	// Output: sha256:bbb1486d31a6e62f393c0a14817c795d71ccc3dee1fe76ba2ec27aec78d2e89a <nil>
}
