package handoff_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// searched has four handoffs, three of them in archives.
func searched(t *testing.T) (root string, s *handoff.Store, warned *[]string) {
	t.Helper()
	root, warned = t.TempDir(), new([]string)
	s = open(t, root, func(o *handoff.Options) {
		o.IndexMaxRows = 2
		o.Warn = func(text string) { *warned = append(*warned, text) }
	})
	for _, d := range []handoff.Document{
		{From: "ann", To: "ben", Topic: "Deploy", Tags: []string{"ci"}, Body: "The Broker restarts.\nNothing else.\n"},
		{From: "ben", To: "ann", Topic: "retry", References: []string{"it's ÄRGER"}, Body: "from here on, \x1b[31mred\x1b[0m broker\n"},
		{From: "cy", To: "ben", Topic: "queue", Tags: []string{"ci", "ops"}, Body: "schema of the queue: Straße\n"},
		{From: "ann", To: "cy", Topic: "last", Body: "--- \n---\nbroker and queue\n"},
	} {
		d.SchemaVersion, d.Time = "1.0", "2026-05-07T12:00:00Z"
		if _, err := s.WriteAll(t.Context(), []handoff.Source{{Fields: &d}}); err != nil {
			t.Fatal(err)
		}
	}
	return root, s, warned
}

func topicsOf(found handoff.Found) string {
	var topics []string
	for _, m := range found.Matches {
		topics = append(topics, m.Topic)
	}
	return strings.Join(topics, " ")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	_, s, warned := searched(t)
	for _, test := range []struct {
		words, to, tag, want string
	}{
		{words: "broker", want: "last Deploy retry"}, // the title counts most, and the shorter text
		{words: "brokr", want: "last Deploy retry"},  // one letter off, as nothing is exact
		{words: "BROKER,queue", want: "last queue Deploy retry"},
		{words: "What did the broker tell us about the queue?", want: "last queue Deploy retry"},
		{words: "broker", to: "ben", want: "Deploy"},
		{words: "2026-05-07t12", tag: "ci", want: "Deploy queue"},
		{words: "ops", want: "queue"},
		{words: "it's ärger", want: "retry"},
		{words: "arger", want: "retry"},
		{words: "STRASSE", want: "queue"},
		{words: "straße", want: "queue"},
		{words: "straẞe", want: "queue"},
		{words: "ſchema", want: "queue"},
		{words: "sch", want: "queue"},
		{words: "hema", want: ""},
		{words: "schema", want: "queue"}, // keys of the head are no words
		{words: "red", want: ""},         // it stands behind what colours it
		{words: "31mred", want: "retry"},
		{words: "handoff_id", want: ""},
		{words: "references", want: ""},
	} {
		found, err := s.Search(t.Context(), handoff.Query{
			Filter: handoff.Filter{To: test.to, Tag: test.tag}, Words: strings.Split(test.words, ","),
		})
		if got := topicsOf(found); err != nil || got != test.want || found.Total != len(found.Matches) {
			t.Errorf("%+v: %q of %d, %v", test, got, found.Total, err)
		}
	}
	found, err := s.Search(t.Context(), handoff.Query{Words: []string{"broker"}, Limit: 1})
	if got := topicsOf(found); err != nil || got != "last" || found.Total != 3 {
		t.Errorf("with a limit: %q of %d, %v", got, found.Total, err)
	}
	if len(*warned) > 0 {
		t.Errorf("warned: %q", *warned)
	}
	for _, words := range [][]string{nil, {""}, {"a", ""}, {" \t"}, {"?!", "—"}} {
		var advice *handoff.Error
		if _, err := s.Search(t.Context(), handoff.Query{Words: words}); !errors.Is(err, handoff.ErrInvalid) || !errors.As(err, &advice) || advice.Advice == "" {
			t.Errorf("%q: %v", words, err)
		}
	}
}

// A good document that was written by hand may have its head in another form.
func TestSearchInAdopted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("other", "body"))
	for topic, form := range map[string][2]string{
		"a": {"schema_version: '1.0'", "--- "}, "b": {`schema_version: "1.0"`, "---"}, "c": {"schema_version: '1.0'", "---\t"},
	} {
		doc := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: "2026-05-07T12:00:00Z", Body: "the Needle\n---\nbehind\n"}
		id, err := handoff.ID(doc)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path(root, "2026-05-07-ann-ben-"+topic+".md"), fmt.Appendf(nil, "---\n%s\nhandoff_id: '%s'\nfrom: ann\nto: ben\ntopic: %s\nts_utc: '%s'\n%s\n%s",
			form[0], id, topic, doc.Time, form[1], doc.Body))
	}
	if _, err := s.Maintenance().Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"needle"}, {"behind"}, {"needle", "behind"}} {
		if found, err := s.Search(t.Context(), handoff.Query{Words: words}); err != nil || len(found.Matches) != 3 {
			t.Errorf("%q is found in %q, %v", words, topicsOf(found), err)
		}
	}
}

func TestSearchShowsWhere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	long := strings.Repeat("ü", 200) + " Needle " + strings.Repeat("x", 200)
	doc := handoff.Document{SchemaVersion: "1.0", From: "a", To: "b", Topic: "c", Time: "2026-05-07T12:00:00Z", Tags: []string{"needle"},
		Body: "one\nneedle in line two\n" + long + "\nother word\n"}
	if _, err := s.WriteAll(t.Context(), []handoff.Source{{Fields: &doc}}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		words []string
		want  []handoff.Passage
	}{
		{[]string{"needle"}, []handoff.Passage{{Where: "body", Line: 2, Text: "needle in line two"}}},
		{[]string{"xxx needle"}, []handoff.Passage{{Where: "body", Line: 3, Text: "…" + strings.Repeat("ü", 14) + " Needle " + strings.Repeat("x", 63) + "…"}}},
		{[]string{"two", "word"}, []handoff.Passage{{Where: "body", Line: 2, Text: "needle in line two"}}},
		{[]string{"word", "needle", "üü"}, []handoff.Passage{{Where: "body", Line: 2, Text: "needle in line two"}}},
		{[]string{"word"}, []handoff.Passage{{Where: "body", Line: 4, Text: "other word"}}},
		{[]string{"2026"}, nil},
	} {
		found, err := s.Search(t.Context(), handoff.Query{Words: test.words})
		if err != nil || len(found.Matches) != 1 || !slices.Equal(found.Matches[0].Passages, test.want) {
			t.Errorf("%q: %v, %v", test.words, found.Matches, err)
		}
	}
}

// What cannot be proven is not shown, and said.
func TestSearchProvesWhatItShows(t *testing.T) {
	t.Parallel()
	root, s, warned := searched(t)
	replace(t, path(root, "2026-05-07-ann-cy-last.md"), "broker and", "broker or")
	found, err := s.Search(t.Context(), handoff.Query{Words: []string{"broker"}})
	if got := topicsOf(found); err != nil || got != "Deploy retry" {
		t.Errorf("%q, %v", got, err)
	}
	remove(t, path(root, "2026-05-07-ann-ben-Deploy.md"))
	if err := os.Symlink("2026-05-07-ben-ann-retry.md", path(root, "2026-05-07-ann-ben-Deploy.md")); err != nil {
		t.Skip(err)
	}
	if found, err = s.Search(t.Context(), handoff.Query{Words: []string{"31mred"}}); err != nil || topicsOf(found) != "retry" {
		t.Errorf("%v, %v", found, err)
	}
	if len(*warned) != 2 || !strings.Contains((*warned)[0], "was changed after it was stored") || !strings.Contains((*warned)[1], "not a plain file") {
		t.Errorf("warned: %q", *warned)
	}
}

// Search finds what reading every document would: those with words that are, or begin with, what is looked for.
func TestSearchFindsWhatReadingFinds(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), func(o *handoff.Options) { o.IndexMaxRows = 3 })
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("kKbBxX\u212aẋḱ'\"\\ -:_\n\u200e")), 0, 12, -1)
	var sources []handoff.Source
	for i := range 60 {
		d := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "B", Topic: fmt.Sprint("t", i), Time: "2026-05-07T12:00:00Z", Body: letters.Example(i)}
		if ref := strings.NewReplacer("\n", "", "\u200e", "").Replace(letters.Example(100 + i)); strings.TrimSpace(ref) != "" {
			d.References = []string{ref}
		}
		sources = append(sources, handoff.Source{Fields: &d})
	}
	if _, err := s.WriteAll(t.Context(), sources); err != nil {
		t.Fatal(err)
	}
	wordsOf := func(text string) []string {
		plain := strings.NewReplacer("\u200e", "", "\u212a", "k", "ẋ", "x", "Ẋ", "x", "ḱ", "k").Replace(strings.ToLower(text))
		return strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	var texts [][]string // the words of each handoff
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		d, err := s.Load(e)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, wordsOf(strings.Join(append([]string{d.From, d.To, d.Topic, d.Body}, d.References...), " ")))
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("kKbBxẋ\u212a' -")), 1, 3, -1), 1, 2).Draw(t, "words")
		found, err := s.Search(context.Background(), handoff.Query{Words: words})
		isBlank := func(w string) bool { return strings.TrimSpace(w) == "" }
		asked := wordsOf(strings.Join(words, " "))
		if slices.ContainsFunc(words, isBlank) || len(asked) == 0 {
			if !errors.Is(err, handoff.ErrInvalid) {
				t.Fatalf("%q: %v", words, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i, e := range entries {
			has := func(w string) bool {
				return slices.ContainsFunc(texts[i], func(o string) bool { return o == w || len(w) >= 3 && strings.HasPrefix(o, w) })
			}
			if slices.ContainsFunc(asked, has) {
				want = append(want, e.Topic)
			}
		}
		got := strings.Fields(topicsOf(found))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q finds %s, want %v", words, got, want)
		}
	})
}

// Scores do not depend on the order in which handoffs were written nor on that of the words, and of equal ones the newer
// comes first.
func TestSearchOrder(t *testing.T) {
	t.Parallel()
	words := strings.Fields("broker retry queue deploy broken restart timeout")
	for seed := range uint64(2) {
		luck := rand.New(rand.NewPCG(seed, 0))
		some := func(most int) (drawn []string) {
			for range 1 + luck.IntN(most) {
				drawn = append(drawn, words[luck.IntN(len(words))])
			}
			return drawn
		}
		var docs []handoff.Document
		for i, day := range luck.Perm(20) {
			docs = append(docs, handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: fmt.Sprint("t", i),
				Time: fmt.Sprintf("2026-04-%02dT12:00:00Z", day+1), Body: strings.Join(some(4), " ") + "\n"})
		}
		s := open(t, t.TempDir(), nil)
		mustWriteAll(t, s, sourcesOf(docs)...)
		slices.Reverse(docs)
		reversed := open(t, t.TempDir(), nil)
		mustWriteAll(t, reversed, sourcesOf(docs)...)
		for range 10 {
			asked := some(3)
			one, err := s.Search(t.Context(), handoff.Query{Words: asked})
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(asked)
			two, err := reversed.Search(t.Context(), handoff.Query{Words: asked})
			if err != nil || scored(one) != scored(two) {
				t.Fatalf("%q: %s, the other way round %s, %v", asked, scored(one), scored(two), err)
			}
			for i := range one.Matches[:max(0, len(one.Matches)-1)] {
				a, b := one.Matches[i], one.Matches[i+1]
				if a.Score < b.Score || a.Score == b.Score && a.Time <= b.Time || b.Score <= 0 {
					t.Fatalf("%q: %v of %s before %v of %s", asked, a.Score, a.Time, b.Score, b.Time)
				}
			}
		}
	}
}

func scored(found handoff.Found) (text string) {
	for _, m := range found.Matches {
		text += fmt.Sprintln(m.Topic, m.Score, m.Title, m.Passages)
	}
	return text
}

func sourcesOf(docs []handoff.Document) []handoff.Source {
	sources := make([]handoff.Source, len(docs))
	for i := range docs {
		sources[i] = handoff.Source{Fields: &docs[i]}
	}
	return sources
}

// No size of a text or of a query is too large.
func TestSearchInLargeTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	var many, large strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "word%d ", i)
	}
	for i := range 100_000 {
		fmt.Fprintf(&large, "word%d ", i*7%20_000)
	}
	signs := strings.Repeat("部署🚀\u202e", 80_000)
	for topic, body := range map[string]string{"large": large.String(), "signs": signs, "lines": strings.Repeat("a\n", 400_000), "word": strings.Repeat("x", 900_000)} {
		mustWrite(t, s, source(topic, body))
	}
	for words, want := range map[string]string{many.String(): "large", "署部": "", "部署": "signs", "🚀 部": "signs", strings.Repeat("x", 900_000): "word"} {
		found, err := s.Search(t.Context(), handoff.Query{Words: []string{words}})
		if err != nil || topicsOf(found) != want {
			t.Errorf("%.20q… finds %q, %v", words, topicsOf(found), err)
		}
		for _, m := range found.Matches {
			if len(m.Passages) != 1 || len(m.Passages[0].Text) > 500 {
				t.Errorf("%.20q… shows %.500s", words, fmt.Sprint(m.Passages))
			}
		}
	}
}

func mustWriteAll(t *testing.T, s *handoff.Store, sources ...handoff.Source) (ids []string) {
	t.Helper()
	receipts, err := s.WriteAll(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range receipts {
		ids = append(ids, r.ID)
	}
	return ids
}
