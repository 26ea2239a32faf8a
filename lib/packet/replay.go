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

// replay asks what a resuming side would ask: what is it about, what stands in the way, what comes
// next. Only the deterministic floor is claimed: the packet holds an answer that is no placeholder and
// does not contradict another one. Given answers are compared with the packet too.
func (c *checking) replay(f Facts) {
	problems := slices.Concat(answer(f, "objective", "objective", f.Objective), c.blocker(f),
		answer(f, "next action", "next_action", f.NextAction), vagueItems(f), contradictions(f))
	if len(problems) > 0 {
		c.add(Replay, false, sayAll(problems))
		c.step("Settle objective, blocker and next action with the owner of the task and write them out.")
		return
	}
	if c.o.Answers == nil {
		c.add(Replay, true, "answerable; nobody has answered")
		return
	}
	c.compare(f)
}

// answer says what is wrong with the answer to "what is it about?" or "what comes next?", which stands in a
// field.
func answer(f Facts, question, field, text string) []string {
	switch {
	case slices.Contains(f.Cannot, field):
		return []string{question + ": " + show(f.Kind) + " does not say it"}
	case blank(text):
		return []string{field + " is missing"}
	case placeholder(text), none(text):
		return []string{field + " " + quoted(text) + " is a placeholder"}
	}
	return nil
}

// blocker says what is wrong with the answer to "what stands in the way?". Nothing is an answer,
// silence is none.
func (c *checking) blocker(f Facts) []string {
	switch {
	case slices.Contains(f.Cannot, "unresolved"):
		return []string{"blocker: " + show(f.Kind) + " does not say it"}
	case len(f.Unresolved) == 0 && !slices.Contains(c.o.AllowEmpty, "unresolved"):
		return []string{"unresolved is missing or empty, so the blocker is unknown"}
	}
	return nil
}

// vagueItems names the entries of lists that say nothing. That there is nothing is an entry like others.
func vagueItems(f Facts) (problems []string) {
	for _, list := range []struct {
		name  string
		items []string
	}{{"completed", f.Completed}, {"unresolved", f.Unresolved}, {"assumptions", f.Assumptions}, {"risks", f.Risks}} {
		for _, item := range list.items {
			if placeholder(item) && !none(item) {
				problems = append(problems, list.name+" "+quoted(item)+" is a placeholder")
			}
		}
	}
	return problems
}

// contradictions names what cannot be true at once.
func contradictions(f Facts) (problems []string) {
	next := deeds(f.NextAction)
	for i, done := range f.Completed {
		if next != "" && deeds(done) == next {
			problems = append(problems, fmt.Sprintf("next_action is already in completed (entry %d)", i+1))
		}
	}
	open := slices.DeleteFunc(slices.Clone(f.Unresolved), none)
	for _, item := range open {
		if slices.ContainsFunc(f.Completed, func(done string) bool { return deeds(done) == deeds(item) }) {
			problems = append(problems, quoted(item)+" is in unresolved and in completed")
		}
	}
	nothing := len(open) == 0 && len(f.Unresolved) > 0
	switch {
	case len(open) > 0 && len(open) < len(f.Unresolved):
		problems = append(problems, "unresolved says that nothing is open, and names "+quoted(open[0]))
	case nothing && finishesSomething(f.NextAction):
		problems = append(problems, "unresolved says that nothing is open, but next_action "+quoted(f.NextAction)+" finishes something open")
	case nothing && next != "" && !none(f.NextAction) && (slices.ContainsFunc(f.Completed, allDone) || reached(f.Objective)):
		problems = append(problems, "all is done and nothing is open, but next_action is "+quoted(f.NextAction))
	}
	return problems
}

// noBlocker reports whether the packet says that nothing is open.
func noBlocker(f Facts) bool {
	return !slices.ContainsFunc(f.Unresolved, func(item string) bool { return !none(item) })
}

var finishing, stillOpen, reaching = phrases("finishing"), phrases("still-open"), phrases("reached")

// finishesSomething reports whether an action needs something open. The verbs are looked for in the text as
// written: folding takes the ends of clauses away.
func finishesSomething(action string) bool {
	lower := strings.ToLower(strings.TrimSpace(action))
	return says(lower, finishing(), nil) || says(folded(action), stillOpen(), nil)
}

// reached reports whether an objective says of itself that it was reached.
func reached(objective string) bool {
	return slices.ContainsFunc(clauses(objective), func(clause string) bool { return says(clause, reaching(), nil) })
}

// Answers are what the resuming side understood from a packet, in its own words.
type Answers struct {
	Objective  string `json:"objective"`
	Blocker    string `json:"blocker"`
	NextAction string `json:"next_action"`
}

// ParseAnswers reads a JSON object with objective, blocker and next_action. The error is a
// *fault.DocumentError. An answer left out counts as not given, which fails the replay test.
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

// A Comparison is an answer beside what the packet says. Whether both mean the same is for who reads
// them to say: the opposite of a sentence has nearly all of its words.
type Comparison struct {
	Question string `json:"question"` // objective, blocker or next_action
	Packet   string `json:"packet"`
	Answer   string `json:"answer"`
}

// compare holds the answers against the packet. Those that are equal after case, punctuation and space
// were put aside are confirmed; the others are shown beside the packet, and somebody has to confirm
// them.
func (c *checking) compare(f Facts) {
	a := c.o.Answers
	c.beside("objective", a.Objective, f.Objective)
	if !noBlocker(f) || !none(a.Blocker) {
		c.beside("blocker", a.Blocker, f.Unresolved...)
	}
	c.beside("next_action", a.NextAction, f.NextAction)
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
		c.add(Replay, true, "answered in other words ("+strings.Join(other, ", ")+"), confirmed by "+quoted(c.o.ConfirmedBy))
	default:
		c.add(Replay, false, "answered in other words: "+strings.Join(other, ", "))
		c.step("Compare each answer with the packet, which stands beside it; if they mean the same, check again and name who confirms it (confirmed-by).")
	}
}

// beside notes an answer that is none of the truths, nor all of them.
func (c *checking) beside(question, answer string, truths ...string) {
	same := func(truth string) bool { return folded(answer) == folded(truth) }
	all := strings.Join(truths, "; ")
	switch {
	case blank(answer):
		c.report.Compared = append(c.report.Compared, Comparison{Question: question, Packet: long(all)})
	case !slices.ContainsFunc(truths, same) && !same(all):
		c.report.Compared = append(c.report.Compared, Comparison{question, long(all), long(answer)})
	}
}
