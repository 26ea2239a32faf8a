package kind

import (
	"bytes"
	_ "embed" // for the phrases
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/seed-78daf238/handoff/lib/fault"
)

//go:embed phrases.txt
var phrasesText string

// phrases has the lists of phrases.txt.
var phrases = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(phrasesText) {
		if list, text, is := strings.Cut(strings.TrimSpace(line), ": "); is {
			all[list] = append(all[list], strings.Split(text, ", ")...)
		}
	}
	return all
})

// fold returns the words of a text in lower case, separated by one space.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

// isPlaceholder reports whether a text looks like an answer but answers nothing.
func isPlaceholder(text string) bool {
	return fold(text) == "" || slices.Contains(phrases()["placeholder"], fold(text))
}

// replay asks the questions of a resuming session: what is the objective, what blocks it, what comes next? It compares
// with phrases, and does not judge what a text means. It also compares given answers with the packet.
func (c *checking) replay() {
	var problems, quotes []string
	for _, name := range []string{"objective", "next_action"} {
		text := c.facts.one(name)
		if isBlank(text) {
			problems = append(problems, name+" is missing")
		} else if isPlaceholder(text) || slices.Contains(phrases()["none"], fold(text)) {
			problems, quotes = append(problems, name+" is a placeholder"), append(quotes, name+" "+quote(text))
		}
	}
	if len(c.facts["unresolved"]) == 0 && !slices.Contains(c.AllowEmpty, "unresolved") {
		problems = append(problems, "unresolved is missing or empty, so the blocker is unknown")
	}
	for _, name := range []string{"completed", "unresolved", "assumptions", "risks"} {
		for _, item := range c.facts[name] {
			if isPlaceholder(item) {
				problems, quotes = append(problems, name+" has a placeholder"), append(quotes, name+" "+quote(item))
			}
		}
	}
	next := fold(c.facts.one("next_action"))
	if i := slices.IndexFunc(c.facts["completed"], func(done string) bool { return fold(done) == next }); i >= 0 &&
		next != "" {
		problems = append(problems, fmt.Sprintf("next_action is already in completed (entry %d)", i+1))
	}
	switch {
	case len(problems) > 0:
		c.add("Replay test", false, strings.Join(slices.Compact(problems), "; "), quotes...)
		c.step("Settle objective, blocker and next action with the owner of the task and write them out.")
	case c.Answers == nil:
		c.add("Replay test", true, "answerable; nobody has answered")
	default:
		c.compare()
	}
}

// Answers are the answers of the resuming side, in its own words.
type Answers struct {
	Objective  string `json:"objective"`
	Blocker    string `json:"blocker"`
	NextAction string `json:"next_action"`
}

// ParseAnswers reads a JSON object with objective, blocker and next_action. The error is fault.ErrInvalid.
func ParseAnswers(text []byte) (a Answers, err error) {
	d := stdjson.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&a); err != nil {
		err = fault.Invalid("write an object with the texts objective, blocker and next_action", "--answers: %v", err)
	}
	return a, err
}

// compare compares the answers with the packet. An answer that is equal after folding is confirmed. Others are shown
// next to the packet, and a person must confirm them.
func (c *checking) compare() {
	var lacking, other []string
	for _, q := range []struct {
		name, answer string
		truths       []string
	}{{"objective", c.Answers.Objective, c.facts["objective"]}, {"blocker", c.Answers.Blocker, c.facts["unresolved"]},
		{"next_action", c.Answers.NextAction, c.facts["next_action"]}} {
		all := strings.Join(q.truths, "; ")
		same := func(truth string) bool { return fold(q.answer) == fold(truth) }
		if !isBlank(q.answer) && (same(all) || slices.ContainsFunc(q.truths, same)) {
			continue
		}
		if other = append(other, q.name); isBlank(q.answer) {
			lacking = append(lacking, q.name)
		}
		c.Compared = append(c.Compared, Comparison{q.name, cut(show(all), 500), cut(show(q.answer), 500)})
	}
	switch {
	case len(lacking) > 0:
		c.add("Replay test", false, "not answered: "+strings.Join(lacking, ", "))
		c.step("Answer objective, blocker and next action from the packet.")
	case len(other) == 0:
		c.add("Replay test", true, "objective, blocker and next action confirmed")
	case c.CheckOptions.ConfirmedBy != "":
		c.Report.ConfirmedBy = show(c.CheckOptions.ConfirmedBy)
		c.add("Replay test", true, "answered in other words ("+strings.Join(other, ", ")+"), confirmed by "+
			c.Report.ConfirmedBy)
	default:
		c.add("Replay test", false, "answered in other words: "+strings.Join(other, ", "))
		c.step("Compare each answer with the packet's, shown next to it. If they mean the same, check again with " +
			"--confirmed-by NAME.")
	}
}
