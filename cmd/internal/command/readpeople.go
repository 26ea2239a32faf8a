package command

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const widestBody = 100 // columns: longer lines are hard to read

// forPeople shows a handoff on a terminal: its header with notes of the program, its body, and the commands that the
// reader can run next.
func (r reading) forPeople(got handoff.Stored, notes ...string) error {
	marked := r.mark(got.Entry)
	width := cmp.Or(cli.TerminalWidth(r.Stdout), 80) // some terminals, such as those of containers, do not know theirs
	lines := append(r.header(got, notes), "")
	lines = append(lines, handoff.Lines(got.Body, handoff.Title(got.Body, ""), min(width, widestBody), r.Colors())...)
	lines = append(lines, "")
	for _, line := range []string{r.next(got), marked} {
		if line != "" {
			lines = append(lines, r.Styled(cli.Faint, handoff.EscapeLine(line)))
		}
	}
	return r.Print(strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n")
}

// header returns the lines above the body. Text from others is escaped.
func (r reading) header(got handoff.Stored, notes []string) []string {
	e := got.Entry
	when := e.Time
	if at, err := time.Parse(time.RFC3339, e.Time); err == nil {
		when = handoff.Ago(at, r.Now()) + ", " + at.Local().Format("Mon 2 Jan 2006 15:04")
	}
	lines := []string{r.Styled(cli.Bold, handoff.Title(got.Body, e.Topic))}
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, r.Styled(cli.Faint, fmt.Sprintf("%-7s ", name))+handoff.EscapeLine(text))
		}
	}
	add("from", e.From+" to "+e.To)
	add("when", when)
	add("id", cli.Short(e.ID, cli.Shortest)+"  "+got.Path)
	add("state", r.stateWords(e))
	if got.Signature.State != handoff.SignatureUnsigned {
		add("signed", got.Signature.State+" "+got.Signature.Operator)
	}
	for _, note := range notes {
		add("note", note)
	}
	return lines
}

// stateWords returns the state of a handoff, and by which operator or handoff it came about. A holder is always shown.
func (r reading) stateWords(e handoff.Entry) string {
	l, words := e.Life(), string(e.State)
	switch e.State {
	case handoff.StateSuperseded:
		words = "superseded by " + cli.Successors(r.store, e, cli.Shortest)
	case handoff.StateTaken:
		words = "taken by " + l.Take.Operator
	case handoff.StateDone, handoff.StateWithdrawn:
		words += " by " + l.Done.Operator
	}
	if l.Take.IsDone() && e.State != handoff.StateTaken {
		words = "taken by " + l.Take.Operator + ", " + words
	}
	return words
}

// verbs are the commands for the steps of people.
var verbs = map[cli.Step]string{cli.Check: "check", cli.Resume: "take", cli.Take: "take", cli.Answer: "reply",
	cli.Done: "done", cli.MarkRead: ""}

// next returns the line with the commands that the reader can run next.
func (r reading) next(got handoff.Stored) string {
	_, steps := cli.Steps(r.store, got, r.me)
	var all []string
	for _, step := range steps {
		if verbs[step] != "" {
			all = append(all, verbs[step])
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "next: handoff " + strings.Join(all, " | ") + " " + cli.Short(got.Entry.ID, cli.Shortest)
}
