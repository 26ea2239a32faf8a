package whole

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// fill turns the lists of the flags into those of the record. Numbers stand for what is carried into it.
func (c *creation) fill(r *runs.Record, carried runs.Carried) error {
	closed, err := named(c, carried.Steps, c.closed, "--close", func(s runs.OriginStep) (int, string) { return s.Number, s.What })
	if err != nil {
		return err
	}
	resolved, err := named(c, carried.Debt, c.resolved, "--resolve-debt", func(d runs.CarriedDebt) (int, string) { return d.Number, d.Summary })
	if err != nil {
		return err
	}
	states := []string{"open", "promoted", "refuted", "carried_forward"}
	for _, text := range c.assumptions {
		statement, state := cutState(text, "", states...)
		if state != "" {
			one, err := named(c, carried.Assumptions, []string{statement}, "--assumption", func(a runs.CarriedAssumption) (int, string) { return a.Number, a.Statement })
			if err != nil {
				return err
			}
			statement = one[0]
		} else if number, _, _ := strings.Cut(text, "="); isNumber(number) { // of one that is open, and no text of a new one
			return everyday.Invalid("run `handoff onboard --markdown` to see their numbers", "--assumption %s: a number is followed by = and open, promoted, refuted or carried_forward", text)
		}
		r.Assumptions = append(r.Assumptions, runs.Assumption{Statement: statement, State: cmp.Or(state, "open")})
	}
	c.actions = append(c.actions, closed...)
	c.fillPlain(r)
	for _, text := range resolved {
		r.ContextDebt = append(r.ContextDebt, runs.Debt{Summary: text, State: "resolved"})
	}
	for i, text := range c.steps {
		step := runs.Step{What: text}
		if i < len(c.who) {
			step.Who = c.who[i]
		}
		if i < len(c.verifyFirst) {
			step.VerifyFirst = c.verifyFirst[i]
		}
		r.NextSteps = append(r.NextSteps, step)
	}
	return nil
}

// named replaces each number by the text of the item that has it, and says which that is. Any other text stays, so that it
// can be the item's own.
func named[T any](c *creation, items []T, given []string, flag string, of func(T) (int, string)) (texts []string, err error) {
	for _, text := range given {
		n, notNumber := strconv.Atoi(text)
		at := slices.IndexFunc(items, func(item T) bool { number, is := of(item); return number == n || is == text })
		switch {
		case notNumber == nil && at < 0:
			return nil, everyday.Invalid("run `handoff onboard --markdown` to see their numbers", "%s %s: of the %d that are open, none has this number", flag, text, len(items))
		case notNumber == nil:
			_, is := of(items[at])
			c.Note(fmt.Sprintf("%s %s is %q", flag, text, is))
			text = is
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// fillPlain turns what needs no earlier record into items.
func (c *creation) fillPlain(r *runs.Record) {
	for _, text := range c.actions {
		r.CompletedActions = append(r.CompletedActions, runs.Action{Summary: text})
	}
	for _, text := range c.files {
		path, change := cutState(text, "", "added", "modified", "deleted", "renamed")
		r.FilesAndArtifacts = append(r.FilesAndArtifacts, runs.File{Path: path, Kind: "file", Change: change})
	}
	for _, text := range c.artifacts {
		r.FilesAndArtifacts = append(r.FilesAndArtifacts, runs.File{Path: text, Kind: "artifact"})
	}
	for _, list := range []struct {
		kind   string
		values []string
	}{{"command", c.commands}, {"test", c.tests}} {
		for _, text := range list.values {
			command, result := cutState(text, "unknown", "passed", "failed", "skipped", "unknown")
			r.CommandsAndValidation = append(r.CommandsAndValidation, runs.Command{Command: command, Kind: list.kind, Result: result})
		}
	}
	for _, command := range c.execs {
		r.CommandsAndValidation = append(r.CommandsAndValidation, runs.Command{Command: command, Kind: "test", Result: "unknown"})
	}
	for _, text := range c.debt {
		summary, state := cutState(text, "open", "open", "carried_forward", "resolved")
		r.ContextDebt = append(r.ContextDebt, runs.Debt{Summary: summary, State: state})
	}
	for _, text := range c.exceptions {
		r.PolicyExceptions = append(r.PolicyExceptions, runs.Exception{Summary: text})
	}
}

// cutState cuts =STATE off the end of a text, if it is one of the states.
func cutState(text, otherwise string, states ...string) (rest, state string) {
	if at := strings.LastIndexByte(text, '='); at > 0 && slices.Contains(states, text[at+1:]) {
		return text[:at], text[at+1:]
	}
	return text, otherwise
}
