package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/schema"
)

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10} {
		src := []byte(minimal + strings.Repeat("One line of a body, as people write it.\n", size/40))
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				draft, _ := document.Parse(src, maxBytes)
				if faults := draft.Check(schema.Frontmatter()); len(faults) > 0 {
					b.Fatal(faults)
				}
				identify(b, draft.Document())
			}
		})
	}
}

func BenchmarkParseStored(b *testing.B) {
	draft, _ := document.Parse([]byte(minimal), maxBytes)
	d := draft.Document()
	d.HandoffID = identify(b, d)
	stored := document.Render(d)
	b.ReportAllocs()
	for b.Loop() {
		if _, faults := document.ParseStored(stored); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
