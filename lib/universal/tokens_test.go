package universal_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/seed-78daf238/handoff/lib/universal"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		encoding, text string
		want           int
	}{
		{universal.O200k, "", 0},
		{universal.O200k, "hello world", 2},
		{universal.CL100k, "hello world", 2},
		{universal.Chars4, "hello world", 2},
		{universal.Chars4, "abc", 0},
		{universal.O200k, "supercalifragilistic", 6},
		{universal.CL100k, "supercalifragilistic", 7},
		{universal.O200k, strings.Repeat(" ", universal.LongestToken), 1},
		{universal.O200k, "<|endoftext|>", 7},
	} {
		if got, err := universal.CountTokens(c.encoding, c.text); err != nil || got != c.want {
			t.Errorf("%s counts %d tokens in %q (%v), want %d", c.encoding, got, c.text, err, c.want)
		}
	}
}

func TestUnknownEncoding(t *testing.T) {
	if _, err := universal.CountTokens("p50k_base", "x"); err == nil || !strings.Contains(err.Error(), "o200k_base, cl100k_base, chars4") {
		t.Errorf("error is %v", err)
	}
}

func TestCountInParallel(t *testing.T) {
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if n, err := universal.CountTokens(universal.CL100k, "one two three"); n != 3 || err != nil {
				t.Errorf("counted %d: %v", n, err)
			}
		})
	}
	wait.Wait()
}

// No text of 2000 tokens is longer than LongestToken allows.
func FuzzLongestToken(f *testing.F) {
	f.Add(strings.Repeat("-", 500))
	f.Add(strings.Repeat("　", 300))
	f.Fuzz(func(t *testing.T, text string) {
		for _, encoding := range []string{universal.O200k, universal.CL100k} {
			if n, err := universal.CountTokens(encoding, text); err != nil || n*universal.LongestToken < len(text) {
				t.Fatalf("%s: %d tokens for %d bytes: %v", encoding, n, len(text), err)
			}
		}
	})
}

func BenchmarkWorstText(b *testing.B) {
	for name, unit := range map[string]string{"letters": "a", "spaces": " ", "han": "漢", "capitals": "A", "marks": "!", "quotes": `\"`, "mixed": "aB 1\n"} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(unit, 2000*universal.LongestToken/len(unit))
			for b.Loop() {
				if _, err := universal.CountTokens(universal.O200k, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
