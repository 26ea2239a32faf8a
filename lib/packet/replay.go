package packet

import (
	_ "embed" // for the table of answers
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
)

// replay asks the questions of a resuming session: what is the objective, what blocks it, what comes next? It
// requires only a minimum: each answer is there, no answer is a placeholder, and the next action is not done. It also
// compares given answers with the packet.
func (c *checking) replay(f Facts) {
	problems := slices.Concat(answer(f, "objective", "objective", f.Objective), c.blocker(f),
		answer(f, "next action", "next_action", f.NextAction), vagueItems(f), repeated(f))
	if len(problems) > 0 {
		c.add(Replay, false, sayAll(problems))
		c.step("Settle objective, blocker and next action with the owner of the task and write them out.")
		return
	}
	if c.o.Answers == nil {
		c.add(Replay, true, "answerable; no answers were given")
		return
	}
	c.compare(f)
}

// answer returns the problem of a field that answers a question, if it has one.
func answer(f Facts, question, field, text string) []string {
	switch {
	case slices.Contains(f.Cannot, field):
		return []string{question + ": missing in " + show(f.Kind)}
	case blank(text):
		return []string{field + " is missing"}
	case isPlaceholder(text), isNone(text):
		return []string{field + " " + quoted(text) + " is a placeholder"}
	}
	return nil
}

// blocker returns the problem of the answer to "what blocks it?". "Nothing" is an answer; an empty list is not.
func (c *checking) blocker(f Facts) []string {
	switch {
	case slices.Contains(f.Cannot, "unresolved"):
		return []string{"blocker: missing in " + show(f.Kind)}
	case len(f.Unresolved) == 0 && !slices.Contains(c.o.AllowEmpty, "unresolved"):
		return []string{"unresolved is missing or empty, so the blocker is unknown"}
	}
	return nil
}

// vagueItems returns a problem for each list entry that is a placeholder. A statement that there is nothing is a
// valid entry.
func vagueItems(f Facts) (problems []string) {
	for _, list := range []struct {
		name  string
		items []string
	}{{"completed", f.Completed}, {"unresolved", f.Unresolved}, {"assumptions", f.Assumptions}, {"risks", f.Risks}} {
		for _, item := range list.items {
			if isPlaceholder(item) {
				problems = append(problems, list.name+" "+quoted(item)+" is a placeholder")
			}
		}
	}
	return problems
}

// repeated returns the problem of a next action that is done already.
func repeated(f Facts) []string {
	for i, done := range f.Completed {
		if folded(done) != "" && folded(done) == folded(f.NextAction) {
			return []string{fmt.Sprintf("next_action is already in completed (entry %d)", i+1)}
		}
	}
	return nil
}

// Answers are the answers of the resuming side, in its own words.
type Answers struct {
	Objective  string `json:"objective"`
	Blocker    string `json:"blocker"`
	NextAction string `json:"next_action"`
}

// ParseAnswers reads a JSON object with objective, blocker and next_action. The error is a *fault.DocumentError.
// A missing answer fails the replay test.
func ParseAnswers(data []byte) (Answers, error) {
	v, err := read(data)
	if err != nil {
		return Answers{}, err
	}
	var a Answers
	reading := answers().Read(v, nil)
	if faults := reading.Faults(); len(faults) > 0 {
		return a, &fault.DocumentError{Faults: faults}
	}
	return a, json.Unmarshal(reading.Record.Append(nil), &a)
}

//go:embed answers.json
var answersFile []byte
var answers = sync.OnceValue(func() *fields.Table { return fields.Load(answersFile, nil, blank) })

// A Comparison is an answer next to the packet's. The reader decides whether both mean the same: a sentence and
// its opposite share nearly all words.
type Comparison struct {
	Question string `json:"question"` // objective, blocker or next_action
	Packet   string `json:"packet"`
	Answer   string `json:"answer"`
}

// compare compares the answers with the packet. An answer that is equal except for case, punctuation and spaces
// is confirmed. The others are shown next to the packet, and a person must confirm them.
func (c *checking) compare(f Facts) {
	a := c.o.Answers
	c.compareAnswer("objective", a.Objective, f.Objective)
	c.compareAnswer("blocker", a.Blocker, f.Unresolved...)
	c.compareAnswer("next_action", a.NextAction, f.NextAction)
	var lacking, other []string
	for _, one := range c.report.Compared {
		if other = append(other, one.Question); one.Answer == "" {
			lacking = append(lacking, one.Question)
		}
	}
	switch {
	case len(lacking) > 0:
		c.add(Replay, false, "not answered: "+strings.Join(lacking, ", "))
		c.step("Answer objective, blocker and next action from the packet.")
	case len(other) == 0:
		c.add(Replay, true, "objective, blocker and next action confirmed")
	case c.o.ConfirmedBy != "":
		c.report.ConfirmedBy = show(c.o.ConfirmedBy)
		c.add(Replay, true, "answered in other words ("+strings.Join(other,
			", ")+"), confirmed by "+quoted(c.o.ConfirmedBy))
	default:
		c.add(Replay, false, "answered in other words: "+strings.Join(other, ", "))
		c.step("Compare each answer with the packet's, shown next to it; if they mean the same, check again " +
			"and name who confirms it (confirmed-by).")
	}
}

// compareAnswer records an answer that differs from each of the truths and from all together.
func (c *checking) compareAnswer(question, answer string, truths ...string) {
	same := func(truth string) bool { return folded(answer) == folded(truth) }
	all := strings.Join(truths, "; ")
	switch {
	case blank(answer):
		c.report.Compared = append(c.report.Compared, Comparison{Question: question, Packet: long(all)})
	case !slices.ContainsFunc(truths, same) && !same(all):
		c.report.Compared = append(c.report.Compared, Comparison{question, long(all), long(answer)})
	}
}
