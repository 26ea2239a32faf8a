package secrets

import (
	_ "embed"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed rules.txt
var source string

// A table is the content of rules.txt, which explains its format.
type table struct {
	rules  []rule
	names  []string            // {name} and its text in an expression, alternating
	lists  map[string][]string // the words that judges use
	sign   []step              // the text from a name to the assigned value
	filter keywords
}

// A rule describes one kind of credential. Its expression is tried only at one of its keywords.
type rule struct {
	name     string
	keywords string // parsed by fields
	fold     bool   // keywords in any case
	lines    string // the other lines
	read     sync.Once
	*pattern // of the other lines, parsed when a keyword is first found
}

// A pattern describes the text around a keyword of a rule.
type pattern struct {
	form       string // the kind of expression: then, value or match
	expression string
	before     set    // the bytes of the match that can precede the keyword
	look       []step // the text from the keyword on, before the expression is tried
	apart      bool   // no + or / next to it: base64 of anything can contain such a word
	bits       float64
	words      bool // a value of only words counts too
	judgedBy   string
	re         *regexp.Regexp // compiled on first use: compiling all takes longer than a scan
	compile    sync.Once
}

// rules returns the table. It is made on the first scan, in each run that writes anything, so it only parses the
// keywords of each rule.
var rules = sync.OnceValue(func() *table {
	t := &table{lists: make(map[string][]string), rules: make([]rule, 0, 1<<8)}
	const begin = "\nrule "
	head, rest, _ := strings.Cut(source, begin)
	for key, text := range statements(head) {
		name, text, _ := strings.Cut(text, " ")
		switch key {
		case "let":
			t.names = append(t.names, "{"+name+"}", text)
		case "sign":
			t.sign = steps(name)
		case "list":
			t.lists[name] = slices.AppendSeq(t.lists[name], fields(text))
		}
	}
	t.filter.grow(1<<9, 1<<11) // each run that scans for credentials makes them all
	for block := range strings.SplitSeq(rest, begin) {
		i := len(t.rules)
		t.rules = append(t.rules, rule{})
		r := &t.rules[i]
		r.name, r.lines, _ = strings.Cut(block, "\n")
		r.keywords, r.lines, _ = strings.Cut(r.lines, "\n")
		r.keywords, r.fold = strings.CutPrefix(r.keywords, "anycase ")
		r.keywords = strings.TrimPrefix(r.keywords, "word ")
		for text := range fields(r.keywords) {
			literal, _, _ := strings.Cut(text, "[")
			var first [3]string // each is a character, or a class in brackets
			for n := range first {
				first[n], text = class(text)
			}
			t.filter.add(literal, first, r.fold, i)
		}
	}
	return t
})

// class returns the bytes for the first character of a keyword, with letters in one case only, and the rest.
func class(keyword string) (all, rest string) {
	if keyword[0] != '[' {
		return keyword[:1], keyword[1:]
	}
	in, rest := setOf(keyword)
	bytes := make([]byte, 0, 64)
	for c := range byte(0x80) {
		if in.has(c) && !(letter(c) && c < 'a' && in.has(c|' ')) {
			bytes = append(bytes, c)
		}
	}
	return string(bytes), rest
}

// statements returns the first word and the rest of each line.
func statements(lines string) iter.Seq2[string, string] {
	return func(yield func(key, text string) bool) {
		for line := range strings.SplitSeq(lines, "\n") {
			if key, text, _ := strings.Cut(line, " "); !yield(key, text) {
				return
			}
		}
	}
}

// readLines parses the other lines of the rule.
func (r *rule) readLines() {
	r.pattern = new(pattern)
	for key, text := range statements(r.lines) {
		switch key {
		case "then", "match":
			r.form = key
			r.expression += text
		case "value":
			r.form, r.look = key, rules().sign
			r.expression += text
		case "before":
			r.before, _ = setOf(text)
		case "look":
			r.look = steps(text)
		case "assigned":
			r.look = rules().sign
		case "apart":
			r.apart = true
		case "bits":
			r.bits, _ = strconv.ParseFloat(text, 64)
		case "words":
			r.words = true
		case "judge":
			r.judgedBy = text
		}
	}
}

// fields returns the fields between spaces. ␣ in a field becomes a space.
func fields(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		hasSpaces := strings.Contains(text, "␣")
		for field := range strings.SplitSeq(text, " ") {
			if hasSpaces {
				field = spaced(field)
			}
			if field != "" && !yield(field) {
				return
			}
		}
	}
}

func spaced(text string) string { return strings.ReplaceAll(text, "␣", " ") }

// expressionOf returns the expression of a rule, from the keyword or the text before it.
func (t *table) expressionOf(r *rule) string {
	var quoted []string
	for k := range fields(r.keywords) {
		quoted = append(quoted, regexp.QuoteMeta(k))
	}
	any := "(?:" + strings.Join(quoted, "|") + ")"
	text := r.expression
	switch r.form {
	case "then":
		text = "(" + any + text + ")"
	case "value":
		text = "(?i:" + any + "{noun}){assign}(" + text + ")"
	}
	return t.expand("^(?:" + text + ")")
}

// expand replaces the names in an expression. A name can use earlier ones.
func (t *table) expand(expression string) string {
	for i := len(t.names) - 2; i >= 0; i -= 2 {
		expression = strings.ReplaceAll(expression, t.names[i], t.names[i+1])
	}
	return expression
}

// A set is a set of bytes.
type set [256 / 64]uint64

func (s *set) has(c byte) bool { return s[c>>6]>>(c&63)&1 > 0 }

// A step is a number of bytes of a set.
type step struct {
	set         set
	least, most int
}

// steps parses characters and classes, each with an optional {least,most}.
func steps(text string) (all []step) {
	for text = spaced(text); text != ""; {
		s := step{least: 1, most: 1}
		s.set, text = setOf(text)
		if counts, rest, found := strings.Cut(text, "}"); found && text[0] == '{' {
			least, most, _ := strings.Cut(counts[1:], ",")
			s.least, _ = strconv.Atoi(least)
			s.most, _ = strconv.Atoi(most)
			text = rest
		}
		all = append(all, s)
	}
	return all
}

// follow reports whether text matches the steps. Each step takes as many bytes as it can.
func follow(text string, all []step) bool {
	for i := range all {
		s, n := &all[i], 0
		for n < s.most && n < len(text) && s.set.has(text[n]) {
			n++
		}
		if n < s.least {
			return false
		}
		text = text[n:]
	}
	return true
}

// setOf returns the set of the first character or bracketed class, and the rest. Brackets can contain ranges, ^, \n,
// \t and \\.
func setOf(text string) (in set, rest string) {
	if text[0] != '[' {
		in[text[0]>>6] = 1 << (text[0] & 63)
		return in, text[1:]
	}
	inside, rest, _ := strings.Cut(text[1:], "]")
	inside, negated := strings.CutPrefix(inside, "^")
	for i := 0; i < len(inside); i++ {
		first := int(inside[i])
		if first == '\\' {
			i++
			first = map[byte]int{'n': '\n', 't': '\t', '\\': '\\'}[inside[i]]
		}
		last := first
		if i+2 < len(inside) && inside[i+1] == '-' {
			last = int(inside[i+2])
			i += 2
		}
		for c := first; c <= last; c++ {
			in[c>>6] |= 1 << (c & 63)
		}
	}
	for i := range in {
		if negated {
			in[i] = ^in[i]
		}
	}
	return in, rest
}
