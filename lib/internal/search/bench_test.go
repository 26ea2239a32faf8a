package search_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

var (
	handoffs = flag.Int("handoffs", 100_000, "in the store of BenchmarkSearch")
	root     = flag.String("store", "", "a directory in which BenchmarkSearch keeps its store for another run")
)

// BenchmarkSearch searches 100,000 handoffs of 1.2 KB of talk, which it makes first.
//
//	go test -run '^$' -bench Search -benchtime 5x ./lib/internal/search
func BenchmarkSearch(b *testing.B) {
	dir := *root
	if dir == "" {
		dir = b.TempDir()
	}
	s := opened(b, dir)
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		b.Fatal(err)
	}
	for first := len(entries); first < *handoffs; first += 5000 {
		if _, err := s.WriteAll(b.Context(), chatter(first, min(5000, *handoffs-first))); err != nil {
			b.Fatal(err)
		}
	}
	_, questions := talks(false)
	for name, words := range map[string][]string{
		"nothing": {"zeppelin"}, "word": {"deploy"}, "question": strings.Fields(questions[12].text), "often": {"Monday", "children", "server"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), handoff.Query{Words: words, Limit: 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// chatter makes handoffs of what people talk about.
func chatter(first, count int) (sources []handoff.Source) {
	luck := rand.New(rand.NewPCG(3, uint64(first)))
	docs, _ := talks(false)
	for i := first; i < first+count; i++ {
		d := docs[luck.IntN(len(docs))]
		d.Topic = fmt.Sprint("talk-", i)
		d.Time = time.Date(2025, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)
		for len(d.Body) < 1200 {
			d.Body += docs[luck.IntN(len(docs))].Body
		}
		sources = append(sources, handoff.Source{Fields: &d})
	}
	return sources
}
