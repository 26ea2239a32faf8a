package packet

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

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
	d := &decoded{empty: map[int]string{}}
	places := map[string]*string{"objective": &a.Objective, "blocker": &a.Blocker, "next_action": &a.NextAction}
	for _, m := range v.Members {
		if place := places[m.Name]; place != nil {
			*place = d.string(m.Name, "/"+m.Name, m.Value)
		} else {
			d.fault(m.Value, "", "unknown field "+quote(m.Name), "known are objective, blocker, next_action")
		}
	}
	if len(d.faults) > 0 {
		return Answers{}, &fault.DocumentError{Faults: d.faults}
	}
	return a, nil
}

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
		c.add(Replay, false, say("not answered: "+strings.Join(lacking, ", ")))
		c.step("Answer objective, blocker and next action from the packet.")
	case len(other) == 0:
		c.add(Replay, true, say("objective, blocker and next action confirmed"))
	case c.o.ConfirmedBy != "":
		c.report.ConfirmedBy = show(c.o.ConfirmedBy)
		c.add(Replay, true, say("answered in other words ("+strings.Join(other, ", ")+"), confirmed by %s", c.o.ConfirmedBy))
	default:
		c.add(Replay, false, say("answered in other words: "+strings.Join(other, ", ")))
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
