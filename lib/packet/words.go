package packet

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// lazy compiles a pattern at its first use, so that programs which only link this package start at once.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
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
	for _, part := range clauseEnd().Split(text, -1) {
		if f := folded(part); f != "" {
			all = append(all, f)
		}
	}
	return all
}

var clauseEnd = lazy(`[.,;:!?()\x{2013}\x{2014}]+(\s|$)|\n|\s-\s|。|、|，|；`)

// A lexicon is a set of words.
type lexicon map[string]bool

// lexiconOf returns the words of lists, read when they are first needed.
func lexiconOf(lists ...string) func() lexicon {
	return sync.OnceValue(func() lexicon {
		l := lexicon{}
		for _, list := range lists {
			for _, word := range strings.Fields(list) {
				l[word] = true
			}
		}
		return l
	})
}

// has reports whether one of the words is in the lexicon.
func (l lexicon) has(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return l[w] })
}

// The words that say nothing in particular. A text of nothing but them tells nobody what to do. The
// lists are of English, and a floor: they catch what says nothing, and let pass what says little.
const (
	joining = `a an the of in on at for and or with by from as into onto about over up out off through to than but if so that which who what where when how
		i we you they he she it its this these those there here them us me our my your their his her is are was were be been being am has have had do does did done
		will would shall should must can could may might let lets please just only also still yet already now then today soon later again first next last finally currently
		tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday
		not dont doesnt isnt`
	doing = `begin start started starting continue continued continuing finish finishing complete completing proceed resume keep go going carry move moving push pushing
		work working handle handling sort deal take care look looking see check get getting make making do doing put pick wrap follow tackle address improve improving enhance
		fix fixing update updating change adjust refine polish clean tidy run try help support manage set prepare ensure figure think figured implement implementing
		build building review test testing discuss discussed talk talked mention mentioned finalize finalise finalizing conclude advance tie use write writing made resolve resolving investigate investigating coordinate coordinating`
	things = `thing things stuff something anything everything everyone task tasks job jobs step steps item items piece pieces part parts bit bits detail details feature features
		issue issues problem problems point points question questions bug bugs phase phases stage rest remainder remaining work works project projects
		implementation development coding testing changes fixes improvements updates matter matters topic topics area areas goal goals objective objectives action actions plan process
		app application system code codebase software program product client clients customer customers user users team
		deliverables milestone milestones assignment effort efforts activity activities ends misc miscellaneous sundry needful line
		progress edge case cases stakeholder stakeholders`
	sizes = `some any all each every both few couple several many more most much various different certain other others another same usual usually small big little minor major
		quick good better best great nice well fine ok okay overall general generally further ahead forward appropriate needed necessary possible planned discussed agreed
		required ready left open outstanding pending current previous new along together asap around back somewhere somehow almost nearly mostly partly partially progress
		whatever whichever fit makes sense judgement judgment etc ongoing loose complicated complex hard difficult tricky messy`
	unsaid = `tbd tba tbc todo wip pending placeholder unknown unclear undefined null nan sure idea clue know decided determined defined filled fill announced
		confirmed lorem ipsum asdf foo bar baz blah xxx`
	finished = `done finished completed complete resolved closed implemented delivered shipped built fixed solved achieved reached settled ready over`
	barring  = `no none nothing nil zero na nobody`
	whole    = `all everything every entire whole fully completely`
	blocking = `blocker blockers blocking blocked risk risks assumption assumptions unresolved known identified found report reported remain remains exist exists time moment far concerns concern left else`
)

var (
	sayingNothing = lexiconOf(joining, doing, things, sizes, unsaid, finished, barring, whole)
	sayingNone    = lexiconOf(joining, doing, things, sizes, finished, barring, whole, blocking)
	placeholders  = lexiconOf(unsaid)
	finishers     = lexiconOf(finished)
	totals        = lexiconOf(whole)
	bars          = lexiconOf(barring)
	leftovers     = lexiconOf("left more else further remaining other open")
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

// reference matches what points elsewhere, in folded text.
var reference = lazy(`^(same|ditto|idem|unchanged|see|as)( the| as| is| in| thing)*( above| below| before| earlier| previous(ly)?| last( time| session| week)?| usual| always| yesterday| ticket| issue| chat| slack| mail| email| channel| wiki| thread| notes?| conversation| description| title| packet)*$`)

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
	return f == "" || sayingNothing().only(w) || reference().MatchString(f) || strings.HasPrefix(f, "lorem ipsum ")
}

// none says whether text honestly states that there is nothing. "Nothing is done" does not: it takes a
// word for what is left.
func none(text string) bool {
	w := words(text)
	f := strings.Join(w, " ")
	switch {
	case !sayingNone().only(w) || placeholders().has(w):
		return false
	case allDone(text):
		return true
	case !bars().has(w) && f != "n a" && !strings.HasPrefix(f, "not any"):
		return false
	}
	return !finishers().has(w) || leftovers().has(w)
}

// allDone says whether text states that there is nothing left, and no more than that.
func allDone(text string) bool {
	w := words(text)
	return sayingNothing().only(w) && finishers().has(w) && !bars().has(w) && !slices.Contains(w, "not") && (totals().has(w) || len(w) == 1)
}

// minor are the words that carry no meaning of their own where two texts are compared.
var minor = lexiconOf("a an the to of in on at for and or with by from is are be was were it its this that i we you they our my as into then so will has have had must should do does did please been being")

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
	pairs := strings.Fields(`wrote write written write rewrote rewrite rewritten rewrite sent send built build rebuilt rebuild made make found find got get gotten get ran run
		took take taken take gave give given give told tell met meet drew draw drawn draw began begin begun begin bought buy brought bring held hold kept keep left leave sold sell
		paid pay spoke speak spoken speak drove drive driven drive chose choose chosen choose went go gone go saw see seen see taught teach thought think caught catch
		broke break broken break wore wear grew grow grown grow knew know known know threw throw thrown throw flew fly flown fly hung hang lent lend spent spend lost lose won win rang ring`)
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
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
