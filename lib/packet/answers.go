package packet

import (
	"slices"

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

// disagreements compares the answers with the facts, word by word and not by meaning.
func (a Answers) disagreements(f Facts) []said {
	var problems []said
	check := func(name, answer string, truths ...string) {
		switch {
		case blank(answer):
			problems = append(problems, say(name+" was not answered"))
		case !slices.ContainsFunc(truths, func(truth string) bool { return agrees(answer, truth) }):
			problems = append(problems, say(name+" was answered %s, which does not agree with the packet", answer))
		}
	}
	check("objective", a.Objective, f.Objective)
	if noBlocker(f) && none(a.Blocker) {
		check("next action", a.NextAction, f.NextAction)
		return problems
	}
	check("blocker", a.Blocker, f.Unresolved...)
	check("next action", a.NextAction, f.NextAction)
	return problems
}

// agrees says whether an answer has at least three fifths of the packet's words, is itself made of them for
// a third, and negates as often.
func agrees(answer, truth string) bool {
	if folded(answer) == folded(truth) {
		return true
	}
	given, no := content(answer)
	wanted, alsoNo := content(truth)
	common := 0
	for w := range wanted {
		if given[w] {
			common++
		}
	}
	return common > 0 && no == alsoNo && common*5 >= len(wanted)*3 && common*3 >= len(given)
}
