package packet

import (
	_ "embed" // for the words
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed words.txt
var wordsText string

// A line of words.txt. needs are words of which a text has one, if the line is about it; none is about any text.
type line struct {
	needs []string
	text  string
}

// lists are the lines of words.txt by the list that they add to.
var lists = sync.OnceValue(func() map[string][]line {
	all := map[string][]line{}
	for said := range strings.Lines(wordsText) {
		name, text, _ := strings.Cut(strings.TrimSuffix(said, "\n"), ": ")
		l := line{text: text}
		if list, needs, some := strings.Cut(strings.TrimSuffix(name, "]"), " ["); some {
			name, l.needs = list, strings.Split(needs, "|")
		}
		all[name] = append(all[name], l)
	}
	return all
})

// pattern compiles a pattern at its first use, so that programs which only link this package start at once.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		for name, said := range lists() {
			text = strings.ReplaceAll(text, "{"+name+"}", said[0].text)
		}
		return regexp.MustCompile(text)
	})
}

// A phrase is one pattern of a list.
type phrase struct {
	needs []string
	form  func() *regexp.Regexp
}

// phrases returns the patterns of a list.
func phrases(list string) func() []phrase {
	return sync.OnceValue(func() (all []phrase) {
		for _, l := range lists()[list] {
			all = append(all, phrase{l.needs, pattern(l.text)})
		}
		return all
	})
}

// isPossible reports whether a text has one of the words without which the phrase is not in it.
func (p phrase) isPossible(text string) bool {
	return p.needs == nil || slices.ContainsFunc(p.needs, func(word string) bool { return strings.Contains(text, word) })
}

// says reports whether a text has one of the phrases where what stands before it does not turn it around.
func says(text string, phrases []phrase, turned func(before string) bool) bool {
	return slices.ContainsFunc(phrases, func(p phrase) bool {
		return p.isPossible(text) && slices.ContainsFunc(p.form().FindAllStringIndex(text, -1), func(at []int) bool {
			return turned == nil || !turned(text[:at[0]])
		})
	})
}

// A lexicon is a set of words.
type lexicon map[string]bool

// lexiconOf returns the words of lists, read when they are first needed.
func lexiconOf(names ...string) func() lexicon {
	return sync.OnceValue(func() lexicon {
		l := lexicon{}
		for _, name := range names {
			for _, word := range wordsOf(name) {
				l[word] = true
			}
		}
		return l
	})
}

// words returns text in the form in which it is compared: lower-case words of letters and digits. Hidden
// characters and full-width forms, which would disguise a word, are folded away.
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

// folded is words, with one space between them.
func folded(text string) string { return strings.Join(words(text), " ") }

// clauses returns the folded clauses of text, which end at punctuation before a space.
func clauses(text string) []string {
	var all []string
	for _, part := range clauseEnd()[0].form().Split(text, -1) {
		if f := folded(part); f != "" {
			all = append(all, f)
		}
	}
	return all
}

var clauseEnd = phrases("clause-end")

// wordsOf returns the words of a list.
func wordsOf(list string) (words []string) {
	for _, l := range lists()[list] {
		words = append(words, strings.Fields(l.text)...)
	}
	return words
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
	minor         = lexiconOf("minor") // carry no meaning of their own where two texts are compared
	negating      = lexiconOf("negating")
	ordering      = lexiconOf("ordering")
	verdicts      = lexiconOf("verdict")
	programs      = lexiconOf("program")

	reference = phrases("reference")
)

// only reports whether all words are in the lexicon. A single letter counts: "feature X" is any feature.
func (l lexicon) only(words []string) bool {
	for _, w := range words {
		if !l[w] && !(len(w) == 1 && w[0] >= 'a') {
			return false
		}
	}
	return len(words) > 0
}

// placeholder says whether text stands where an answer should, but is none.
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
	return f == "" || sayingNothing().only(w) || says(f, reference(), nil) || strings.HasPrefix(f, "lorem ipsum ")
}

// none says whether text honestly states that there is nothing, in each of its clauses. "Nothing is done" does not: it
// takes a word for what is left.
func none(text string) bool {
	all := clauses(text)
	return len(all) > 0 && !slices.ContainsFunc(all, func(clause string) bool { return !isNone(clause) && !isDone(clause) })
}

func isNone(clause string) bool {
	w := strings.Fields(clause)
	switch {
	case !sayingNone().only(w) || placeholders().has(w):
		return false
	case !bars().has(w) && clause != "n a" && !strings.HasPrefix(clause, "not any"):
		return false
	}
	return !finishers().has(w) || leftovers().has(w)
}

// allDone says whether text states that there is nothing left, and no more than that: one clause says so, and the others
// say nothing.
func allDone(text string) bool {
	all := clauses(text)
	return slices.ContainsFunc(all, isDone) &&
		!slices.ContainsFunc(all, func(clause string) bool { return !sayingNothing().only(strings.Fields(clause)) })
}

func isDone(clause string) bool {
	w := strings.Fields(clause)
	return sayingNothing().only(w) && finishers().has(w) && !bars().has(w) && !slices.Contains(w, "not") && (totals().has(w) || len(w) == 1)
}

// deeds returns what a text says was done or is to be done, in an order and a form that tense and
// articles do not change.
func deeds(text string) string {
	var all []string
	for _, w := range words(text) {
		if !minor()[w] {
			all = append(all, stem(w))
		}
	}
	return strings.Join(all, " ")
}

// past maps verbs of English that form their past otherwise.
var past = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for pair := range slices.Chunk(wordsOf("past"), 2) {
		m[pair[0]] = pair[1]
	}
	return m
})

// stem cuts the ending of a verb or plural off, roughly: both sides are cut alike.
func stem(word string) string {
	if present := past()[word]; present != "" {
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
