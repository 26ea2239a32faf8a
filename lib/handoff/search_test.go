package handoff_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	_, s, warned := searched(t)
	for _, test := range []struct{ words, to, tag, want string }{
		{words: "broker", want: "last retry Deploy"},
		{words: "BROKER,queue", want: "last"},
		{words: "deploy,restarts", want: "Deploy"}, // the topic and the body
		{words: "broker", to: "ben", want: "Deploy"},
		{words: "2026-05-07t12", tag: "ci", want: "queue Deploy"},
		{words: "ops", want: "queue"},
		{words: "it's ärger", want: "retry"},
		{words: "STRASSE", want: ""},
		{words: "straße", want: "queue"},
		{words: "straẞe", want: "queue"},
		{words: "ſchema", want: "queue"},
		{words: "broKer,queue", want: "last"}, // with the sign for Kelvin
		{words: "schema", want: "queue"},      // keys of the head are no words
		{words: "from,red", want: "retry"},
		{words: "handoff_id", want: ""},
		{words: "broker,missing", want: ""},
	} {
		found, err := s.Search(t.Context(), handoff.Query{Filter: handoff.Filter{To: test.to, Tag: test.tag}, Words: strings.Split(test.words, ",")})
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
	for _, words := range [][]string{nil, {""}, {"a", ""}, {" \t"}} {
		if _, err := s.Search(t.Context(), handoff.Query{Words: words}); err == nil {
			t.Errorf("%q is searched for", words)
		}
	}
}

// A good document that was written by hand may have its head in another form.
func TestSearchInAdopted(t *testing.T) {
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("other", "body"))
	for topic, form := range map[string][2]string{
		"a": {"schema_version: '1.0'", "--- "}, "b": {`schema_version: "1.0"`, "---"}, "c": {"schema_version: '1.0'", "---\t"},
	} {
		doc := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: "2026-05-07T12:00:00Z", Body: "the Needle\n---\nafter\n"}
		id, err := handoff.ID(doc)
		if err != nil {
			t.Fatal(err)
		}
		mustPut(t, path(root, "2026-05-07-ann-ben-"+topic+".md"), fmt.Appendf(nil, "---\n%s\nhandoff_id: '%s'\nfrom: ann\nto: ben\ntopic: %s\nts_utc: '%s'\n%s\n%s",
			form[0], id, topic, doc.Time, form[1], doc.Body))
	}
	if _, err := s.Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"needle"}, {"after"}, {"needle", "after"}} {
		if found, err := s.Search(t.Context(), handoff.Query{Words: words}); err != nil || len(found.Matches) != 3 {
			t.Errorf("%q is found in %q, %v", words, topicsOf(found), err)
		}
	}
}

func TestSearchShowsWhere(t *testing.T) {
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
		{[]string{"needle x"}, []handoff.Passage{{Where: "body", Line: 3, Text: "…" + strings.Repeat("ü", 29) + " Needle " + strings.Repeat("x", 63) + "…"}}},
		{[]string{"other", "two"}, []handoff.Passage{{Where: "body", Line: 2, Text: "needle in line two"}, {Where: "body", Line: 4, Text: "other word"}}},
		{[]string{"üü", "xx"}, []handoff.Passage{{Where: "body", Line: 3, Text: strings.Repeat("ü", 100) + "…"},
			{Where: "body", Line: 3, Text: "…" + strings.Repeat("ü", 22) + " Needle " + strings.Repeat("x", 70) + "…"}}},
		{[]string{"2026"}, nil},
	} {
		found, err := s.Search(t.Context(), handoff.Query{Words: test.words})
		if err != nil || len(found.Matches) != 1 || !slices.Equal(found.Matches[0].Passages, test.want) {
			t.Errorf("%q: %q, %v", test.words, found.Matches, err)
		}
	}
}

// What cannot be proven is not shown, and said.
func TestSearchProvesWhatItShows(t *testing.T) {
	root, s, warned := searched(t)
	edit(t, path(root, "2026-05-07-ann-cy-last.md"), replacing("broker and", "broker or"))
	found, err := s.Search(t.Context(), handoff.Query{Words: []string{"broker"}})
	if got := topicsOf(found); err != nil || got != "retry Deploy" {
		t.Errorf("%q, %v", got, err)
	}
	mustRemove(t, path(root, "2026-05-07-ann-ben-Deploy.md"))
	if err := os.Symlink("2026-05-07-ben-ann-retry.md", path(root, "2026-05-07-ann-ben-Deploy.md")); err != nil {
		t.Skip(err)
	}
	if found, err = s.Search(t.Context(), handoff.Query{Words: []string{"here on"}}); err != nil || topicsOf(found) != "retry" {
		t.Errorf("%v, %v", found, err)
	}
	if len(*warned) != 2 || !strings.Contains((*warned)[0], "is not what was written") || !strings.Contains((*warned)[1], "symbolic link") {
		t.Errorf("warned: %q", *warned)
	}
}

// Search finds what reading every document would.
func TestSearchFindsWhatReadingFinds(t *testing.T) {
	s := open(t, t.TempDir(), func(o *handoff.Options) { o.IndexMaxRows = 3 })
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("aAbBkKſS'\"\\ -:äÄ\nİK")), 0, 12, -1)
	var sources []handoff.Source
	for i := range 60 {
		d := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "B", Topic: fmt.Sprint("t", i), Time: "2026-05-07T12:00:00Z", Body: letters.Example(i)}
		if ref := strings.ReplaceAll(letters.Example(100+i), "\n", ""); ref != "" {
			d.References = []string{ref}
		}
		sources = append(sources, handoff.Source{Fields: &d})
	}
	if _, err := s.WriteAll(t.Context(), sources); err != nil {
		t.Fatal(err)
	}
	var texts [][]string // of each handoff
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		d, err := s.Load(e)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(append([]string{d.From, d.To, d.Topic, d.Time, d.Body}, d.References...), "\x00")
		texts = append(texts, strings.Split(all, "\x00"))
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("aAbBkKsſ'\\ äÄİK")), 1, 3, -1), 1, 2).Draw(t, "words")
		found, err := s.Search(context.Background(), handoff.Query{Words: words})
		if isBlank := func(w string) bool { return strings.TrimSpace(w) == "" }; slices.ContainsFunc(words, isBlank) {
			if !errors.Is(err, handoff.ErrInvalid) {
				t.Fatalf("%q: %v", words, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got := topicsOf(found)
		var want []string
		for i, e := range slices.Backward(entries) {
			all := true
			for _, w := range words {
				all = all && slices.ContainsFunc(texts[i], regexp.MustCompile("(?i)"+regexp.QuoteMeta(w)).MatchString)
			}
			if all {
				want = append(want, e.Topic)
			}
		}
		if got != strings.Join(want, " ") {
			t.Fatalf("%q finds %s, want %v", words, got, want)
		}
	})
}
