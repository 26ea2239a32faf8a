package main

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// generate returns a text that the expression matches, false if it has none.
func generate(expression fmt.Stringer, random *rand.Rand) (string, bool) {
	if expression == nil || fmt.Sprintf("%v", expression) == "<nil>" {
		return "", false
	}
	parsed, err := syntax.Parse(expression.String(), syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	write(&b, parsed, random)
	return b.String(), true
}

func write(b *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 { // as tokens are written, although the rule takes any case
			text = strings.ToLower(text)
		}
		b.WriteString(text)
	case syntax.OpCharClass:
		b.WriteRune(pick(re.Rune, random))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a' + byte(random.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range re.Sub {
			write(b, part, random)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least, most := re.Min, re.Max
		switch re.Op {
		case syntax.OpStar:
			least, most = 0, 8
		case syntax.OpPlus:
			least, most = 1, 8
		case syntax.OpQuest:
			least, most = 0, 1
		}
		if most < 0 || most > least+40 {
			most = least + 40
		}
		for range least + random.IntN(most-least+1) {
			write(b, re.Sub[0], random)
		}
	}
}

// pick returns a printable character of a class, if it has one.
func pick(class []rune, random *rand.Rand) rune {
	var all []rune
	for i := 0; i+1 < len(class); i += 2 {
		for r := max(class[i], ' '); r <= min(class[i+1], '~'); r++ {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return class[0]
	}
	return all[random.IntN(len(all))]
}
