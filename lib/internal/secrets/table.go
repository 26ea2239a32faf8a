package secrets

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed rules.txt
var source string

// A table is the content of rules.txt, which explains its format.
type table struct {
	rules []rule
	names []string            // {name} and its text in an expression, alternating
	lists map[string][]string // the words that judges use
	words keywords
}

// A rule describes one kind of credential. Its expression is tried only at one of its words.
type rule struct {
	name       string
	words      []string
	expression string
	before     string // the set of bytes of the match that can precede the word
	bits       float64
	takesWords bool // a value of only words counts too
	judgedBy   string

	compile  sync.Once      // on first use: compiling all takes longer than a scan
	re, lead *regexp.Regexp // from the first byte on, and before the word
}

// rules returns the table. It is made on the first scan.
var rules = sync.OnceValue(func() *table {
	t := &table{lists: make(map[string][]string)}
	head, rest, _ := strings.Cut(source, "\nrule ")
	for line := range strings.SplitSeq(head, "\n") {
		key, text, _ := strings.Cut(line, " ")
		name, text, _ := strings.Cut(text, " ")
		switch key {
		case "let":
			t.names = append(t.names, "{"+name+"}", text)
		case "list":
			t.lists[name] = append(t.lists[name], strings.Fields(text)...)
		}
	}
	blocks := strings.Split(rest, "\nrule ")
	t.rules = make([]rule, len(blocks))
	for i, block := range blocks {
		t.rules[i].parse(block)
		for _, word := range t.rules[i].words {
			t.words.add(word, i)
		}
	}
	return t
})

// parse reads the lines of a rule.
func (r *rule) parse(block string) {
	r.name, block, _ = strings.Cut(block, "\n")
	for line := range strings.SplitSeq(block, "\n") {
		switch key, text, _ := strings.Cut(line, " "); key {
		case "word":
			for word := range strings.FieldsSeq(text) {
				r.words = append(r.words, strings.ReplaceAll(word, "␣", " "))
			}
		case "match":
			r.expression += text
		case "before":
			r.before = text
		case "bits":
			r.bits, _ = strconv.ParseFloat(text, 64)
		case "words":
			r.takesWords = true
		case "judge":
			r.judgedBy = text
		}
	}
}

// ready compiles the expressions of a rule.
func (r *rule) ready() {
	r.compile.Do(func() {
		var words []string
		for _, word := range r.words {
			words = append(words, regexp.QuoteMeta(word))
		}
		text := rules().expand(r.expression)
		text = strings.ReplaceAll(text, "{word}", "(?:"+strings.Join(words, "|")+")")
		r.re = regexp.MustCompile("^(?:" + text + ")")
		r.lead = regexp.MustCompile("(?:" + r.before + ")*$")
	})
}

// expand replaces the names in an expression. A name can use earlier ones.
func (t *table) expand(expression string) string {
	for i := len(t.names) - 2; i >= 0; i -= 2 {
		expression = strings.ReplaceAll(expression, t.names[i], t.names[i+1])
	}
	return expression
}
