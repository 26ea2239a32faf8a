package packet

import (
	_ "embed" // for the words
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

//go:embed words.txt
var wordsText string

// lists has the lists of words.txt.
var lists = sync.OnceValue(func() form.Lists { return form.ReadLists(wordsText, nil) })

// isPossible reports whether a text can match a line of a list.
func isPossible(text, list string) bool {
	return slices.ContainsFunc(lists()[list], func(l form.Line) bool { return l.CanMatch(text) })
}

// matches reports whether a text matches a line of a list, unless turned returns true for the text before it.
func matches(text, list string, turned func(before string) bool) bool {
	return slices.ContainsFunc(lists()[list], func(l form.Line) bool {
		return l.CanMatch(text) && slices.ContainsFunc(l.Pattern().FindAllStringIndex(text, -1), func(at []int) bool {
			return turned == nil || !turned(text[:at[0]])
		})
	})
}

// A lexicon is a set of words.
type lexicon map[string]bool

// lexiconOf returns the words of lists. They are read at the first use.
func lexiconOf(names ...string) func() lexicon {
	return sync.OnceValue(func() lexicon {
		l := lexicon{}
		for _, name := range names {
			for _, word := range lists().Words(name) {
				l[word] = true
			}
		}
		return l
	})
}

// words returns a text as lower-case words of letters and digits. It removes hidden characters and full-width
// forms, which would disguise a word.
func words(text string) []string {
	folded := strings.Map(func(r rune) rune {
		switch {
		case r >= 0xff01 && r <= 0xff5e:
			r -= 0xff01 - '!'
		case r == '\'' || r == '’' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r):
			return -1
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mc, r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, text)
	return strings.Fields(folded)
}

// folded returns the words of a text, separated by one space.
func folded(text string) string { return strings.Join(words(text), " ") }

// clauses returns the folded clauses of a text. A clause ends at punctuation before a space.
func clauses(text string) []string {
	var all []string
	for _, part := range lists()["clause-end"][0].Pattern().Split(text, -1) {
		if f := folded(part); f != "" {
			all = append(all, f)
		}
	}
	return all
}

// has reports whether one of the words is in the lexicon.
func (l lexicon) has(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return l[w] })
}

var (
	sayingNothing = lexiconOf("joining", "doing", "things", "sizes", "unsaid", "finished", "barring", "whole")
	sayingNone    = lexiconOf("joining", "doing", "things", "sizes", "finished", "barring", "whole", "blocking")
	placeholders  = lexiconOf("unsaid")
	finishers     = lexiconOf("finished")
	totals        = lexiconOf("whole")
	bars          = lexiconOf("barring")
	leftovers     = lexiconOf("leftover")
	minor         = lexiconOf("minor") // are ignored when texts are compared
	negating      = lexiconOf("negating")
	ordering      = lexiconOf("ordering")
	verdicts      = lexiconOf("verdict")
	programs      = lexiconOf("program")
)

// hasOnly reports whether all words are in the lexicon. A single letter counts: "feature X" is any feature.
func (l lexicon) hasOnly(words []string) bool {
	for _, w := range words {
		if !l[w] && !(len(w) == 1 && w[0] >= 'a') {
			return false
		}
	}
	return len(words) > 0
}

// placeholder reports whether a text looks like an answer but contains nothing.
func placeholder(text string) bool {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > 1 {
		switch trimmed[:1] + trimmed[len(trimmed)-1:] {
		case "<>", "[]", "{}":
			return true
		}
	}
	w := words(text)
	f := strings.Join(w, " ")
	return f == "" || sayingNothing().hasOnly(w) || matches(f, "reference", nil) || strings.HasPrefix(f, "lorem ipsum ")
}

// statesNothing reports whether a text states, in each of its clauses, that there is nothing. "Nothing is done" does
// not: it has no word for the remaining work.
func statesNothing(text string) bool {
	all := clauses(text)
	return len(all) > 0 && !slices.ContainsFunc(all, func(clause string) bool {
		return !isNone(clause) &&
			!isDone(clause)
	})
}

func isNone(clause string) bool {
	w := strings.Fields(clause)
	switch {
	case !sayingNone().hasOnly(w) || placeholders().has(w):
		return false
	case !bars().has(w) && clause != "n a" && !strings.HasPrefix(clause, "not any"):
		return false
	}
	return !finishers().has(w) || leftovers().has(w)
}

// allDone reports whether a text states only that nothing is left: one clause says so, and the others are empty
// words.
func allDone(text string) bool {
	all := clauses(text)
	return slices.ContainsFunc(all, isDone) &&
		!slices.ContainsFunc(all, func(clause string) bool { return !sayingNothing().hasOnly(strings.Fields(clause)) })
}

func isDone(clause string) bool {
	w := strings.Fields(clause)
	return sayingNothing().hasOnly(w) && finishers().has(w) && !bars().has(w) && !slices.Contains(w, "not") &&
		(totals().has(w) || len(w) == 1)
}

// actionWords returns the actions that a text describes, in an order and form that do not depend on tense and articles.
func actionWords(text string) string {
	var all []string
	for _, w := range words(text) {
		if !minor()[w] {
			all = append(all, stem(w))
		}
	}
	return strings.Join(all, " ")
}

// irregular maps irregular forms of verbs to their present.
var irregular = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for pair := range slices.Chunk(lists().Words("past"), 2) {
		m[pair[0]] = pair[1]
	}
	return m
})

// stem removes the ending of a verb or plural. It is rough, but both sides are treated alike.
func stem(word string) string {
	if present := irregular()[word]; present != "" {
		word = present
	}
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 3 {
			word = rest
			break
		}
	}
	if n := len(word); n > 2 && word[n-1] == word[n-2] { // planned, plan
		word = word[:n-1]
	}
	if rest, ok := strings.CutSuffix(word, "y"); ok {
		word = rest + "i" // tried, try
	}
	return word
}
