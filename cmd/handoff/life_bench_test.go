//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// BenchmarkLife is what it costs to know how handoffs are related, in a store of which every tenth answers another one, in
// threads of a hundred, and every hundredth supersedes one:
//
//	go test -run '^$' -bench Life -benchtime 1x ./cmd/handoff
//
// Each figure is that of the fastest of some runs. testdata/figures.md holds what was measured.
func BenchmarkLife(b *testing.B) {
	const batch = 5000
	n := max(*scale, batch)
	root, program := emptyProject(b, ""), program(b)
	last := ""
	for first := 0; first < n; first += batch {
		var dir string
		dir, last = lifeSources(b, root, first, batch, last)
		measured(b, root, "", program, "write", dir, "--quiet")
	}
	first, _, _ := measured(b, root, "", program, "list", "--unread", "--to", "nobody-yet")
	b.ReportMetric(milliseconds(first), "list-nothing-ms")
	first, _, _ = measured(b, root, "", program, "log", last)
	b.ReportMetric(milliseconds(first), "log-first-ms")
	for name, args := range map[string][]string{
		"log": {"log", last}, "list-state": {"list", "--state", "superseded"}, "list-unread": {"list", "--unread", "--to", "ben", "--since", "2027-01-01"},
		"list-all": {"list", "--quiet"}, "hook": {"hook", "session-start", "--operator", "nobody"},
	} {
		wall, cpu, kb := fastest(b, 9, root, append([]string{program}, args...)...)
		b.ReportMetric(milliseconds(wall), name+"-ms")
		b.ReportMetric(milliseconds(cpu), name+"-cpu-ms")
		b.ReportMetric(float64(kb)/1024, name+"-MB")
	}
	if caches, _ := filepath.Glob(root + ".state/handoff/*/facts"); len(caches) == 1 {
		info, err := os.Stat(caches[0])
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/1024, "cache-KB")
	}
}

// lifeSources makes documents, the first of which answers the handoff of an id, and returns their directory and the last that
// is part of a thread.
func lifeSources(b *testing.B, root string, first, count int, last string) (dir, thread string) {
	b.Helper()
	dir = filepath.Join(root, "in")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	body := strings.Repeat("One line of a body, as people write it when they hand work over.\n", 18)
	for i := first; i < first+count; i++ {
		doc := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: fmt.Sprint("n", i), Time: "2026-05-07T12:00:00Z", Body: body}
		references := "[]"
		if i%10 == 0 && last != "" && i%1000 != 0 {
			doc.References = []string{"re:" + last}
			if i%100 == 0 {
				doc.References = []string{"supersedes:" + last}
			}
			references = "['" + doc.References[0] + "']"
		}
		if i%10 == 0 {
			id, err := handoff.ID(doc)
			if err != nil {
				b.Fatal(err)
			}
			last = id
		}
		path := filepath.Join(dir, fmt.Sprint(i-first, ".md"))
		text := fmt.Sprintf("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: n%d\nts_utc: '2026-05-07T12:00:00Z'\nreferences: %s\n---\n%s", i, references, body)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir, last
}
