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

// What a placeholder looks like, in folded text. These are floors and not a judgement: they catch what says nothing, and let
// pass what says little.
var (
	vague = lazy(`^(please |just |then |we |i |to |should |must )*` +
		`(continue|finish|complete|resume|proceed|keep going|keep working|go on|carry on|wrap up|pick up|move on|do)` +
		`( up| on| with| from| working| work| doing| the| this| that| these| those| my| our| your| all| of| same| rest| remaining| next| previous| last| current| open| other| it` +
		`| tasks?| jobs?| things?| stuff| everything| steps?| items?| implementation| project| left| where| i| we| you| they| was| were| off| now| later| soon| please| here` +
		`| as| before| planned| discussed| usual| agreed| needed| necessary| above| and| finish| complete)*$`)
	reference = lazy(`^(same|ditto|idem|unchanged|see|as)( the| as| is| in| thing)*( above| below| before| earlier| previous(ly)?| last( time)?| usual| always| yesterday| ticket| issue| chat| thread| notes?| conversation| description| title| packet)*$`)
	pending   = lazy(`^(tbd|tba|tbc|todo|to do|to be (done|decided|determined|defined|filled( in)?|confirmed|announced)|wip|work in progress|in progress|pending|fill( this)? in|placeholder|lorem ipsum.*|unknown|unclear|not sure|no idea|dont know|undefined|null|nan|x+|asdf|foo|bar|test|blah( blah)*|(next )?(steps?|actions?|tasks?)|objective|the objective|goal|unresolved|blockers?)$`)
	nothing   = lazy(`^(there (is|are|were) |we have |i have )?(none|no|nothing|nil|na|n a|zero|not any)( (none|open|known|remaining|current|outstanding|unresolved|pending|more|further|other|blockers?|issues?|items?|problems?|questions?|work|tasks?|points?|left|is|are|was|to|report|do|at|the|this|moment|time|so|far|risks?|assumptions?|yet|now|currently|blocking|blocked|here|identified|found))*$`)
	allDone   = lazy(`^((all|everything)( is| was| has been)? )?(done|resolved|complete|completed|finished)$`)
)

// placeholder says whether text stands where an answer should, but is none.
func placeholder(text string) bool {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > 1 {
		switch trimmed[:1] + trimmed[len(trimmed)-1:] {
		case "<>", "[]", "{}":
			return true
		}
	}
	f := folded(text)
	return f == "" || vague().MatchString(f) || reference().MatchString(f) || pending().MatchString(f)
}

// none says whether text honestly states that there is nothing.
func none(text string) bool {
	f := folded(text)
	return nothing().MatchString(f) || allDone().MatchString(f)
}

// minor are the words that carry no meaning of their own in an answer.
var minor = strings.Fields("a an the to of in on at for and or with by from is are be was were it its this that we i you they our my as into then so will has have had must should do does please")

// negative are the words that turn an answer around.
var negative = strings.Fields("not no never none without nothing dont doesnt isnt cannot cant wont stop avoid")

// content returns the meaningful words of text without the endings of English verbs and plurals, and how
// many words negate.
func content(text string) (meaning map[string]bool, negations int) {
	meaning = map[string]bool{}
	for _, w := range words(text) {
		switch {
		case slices.Contains(negative, w):
			negations++
		case !slices.Contains(minor, w):
			meaning[stem(w)] = true
		}
	}
	return meaning, negations
}

// stem cuts the ending of a verb or plural off, roughly: both sides are cut alike.
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 4 {
			return rest
		}
	}
	return word
}
