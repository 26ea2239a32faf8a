package packet

import (
	"fmt"
	"slices"
	"strings"
)

// replay asks what a resuming side would ask: what is it about, what stands in the way, what comes next.
// Only the deterministic floor is claimed: the packet holds an answer that is not a placeholder. With
// answers, they must agree with the packet too.
func (c *checking) replay(f Facts) {
	problems := slices.Concat(c.objective(f), c.blocker(f), c.nextAction(f))
	if c.o.Answers != nil && len(problems) == 0 {
		problems = c.o.Answers.disagreements(f)
	}
	switch {
	case len(problems) > 0:
		c.add(Replay, false, sayAll(problems))
		c.step("Settle objective, blocker and next action with the owner of the task and write them out.")
	case c.o.Answers != nil:
		c.add(Replay, true, say("objective, blocker and next action agree with the answers given"))
	default:
		c.add(Replay, true, say("objective, blocker and next action can be answered from the packet (no answers were given to compare)"))
	}
}

// objective says what is wrong with the answer to "what is it about?".
func (c *checking) objective(f Facts) []said {
	switch {
	case f.cannot("objective"):
		return []said{say("objective: ").and(show(f.Kind) + " does not say it")}
	case blank(f.Objective):
		return []said{say("objective is missing")}
	case placeholder(f.Objective), none(f.Objective):
		return []said{say("objective %s is a placeholder", f.Objective)}
	}
	return nil
}

// blocker says what is wrong with the answer to "what stands in the way?". Nothing is an answer, silence is none.
func (c *checking) blocker(f Facts) []said {
	if f.cannot("unresolved") {
		return []said{say("blocker: ").and(show(f.Kind) + " does not say it")}
	}
	if len(f.Unresolved) == 0 && !slices.Contains(c.o.AllowEmpty, "unresolved") {
		return []said{say("unresolved is missing or empty, so the blocker is unknown")}
	}
	var problems []said
	for _, item := range f.Unresolved {
		if !none(item) && placeholder(item) {
			problems = append(problems, say("unresolved %s is a placeholder", item))
		}
	}
	if noBlocker(f) && len(f.NextAction) > 0 && finishesSomething(f.NextAction) {
		problems = append(problems, say("unresolved says that nothing is open, but next_action %s finishes something open", f.NextAction))
	}
	return problems
}

// nextAction says what is wrong with the answer to "what comes next?". What is done already comes not next.
func (c *checking) nextAction(f Facts) []said {
	switch {
	case f.cannot("next_action"):
		return []said{say("next action: ").and(show(f.Kind) + " does not say it")}
	case blank(f.NextAction):
		return []said{say("next_action is missing")}
	case placeholder(f.NextAction), none(f.NextAction):
		return []said{say("next_action %s is a placeholder", f.NextAction)}
	}
	next := folded(f.NextAction)
	for i, done := range f.Completed {
		if folded(done) == next {
			return []said{say("next_action is already in completed (entry ").and(fmt.Sprintf("%d)", i+1))}
		}
	}
	return nil
}

// noBlocker reports whether the packet says that nothing is open.
func noBlocker(f Facts) bool {
	return !slices.ContainsFunc(f.Unresolved, func(item string) bool { return !none(item) })
}

var (
	// finishing are verbs that end something begun, where a clause of English begins.
	finishing = lazy(`(^|[.,;:]|\b(and|then|to|please|must|should|first|now)\b)\s*(finish|complete|resolve|unblock|fix|continue|close|settle|clear)\b`)
	stillOpen = lazy(`\b(remaining|outstanding|pending|unresolved|unfinished|still open|open (issues?|questions?|points?|items?|blockers?))\b`)
)

// finishesSomething reports whether an action needs something open. The verbs are looked for in the text as
// written: folding takes the ends of clauses away.
func finishesSomething(action string) bool {
	lower := strings.ToLower(strings.TrimSpace(action))
	return finishing().MatchString(lower) || stillOpen().MatchString(folded(action))
}
