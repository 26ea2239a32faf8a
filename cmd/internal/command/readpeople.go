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

// readForPeople shows a verified handoff on a terminal: its header, its body, and the commands that me can run next.
// notes are lines of the program for the header.
func readForPeople(a *cli.App, s *handoff.Store, got handoff.Stored, me string, notes ...string) error {
	width := cmp.Or(cli.TerminalWidth(a.Stdout), 80) // some terminals, such as those of containers, do not know theirs
	lines := append(header(a, s, got, notes), "")
	lines = append(lines, handoff.Lines(got.Body, handoff.Title(got.Body, ""), min(width, widestBody), a.Colors())...)
	if next := nextForPeople(s, got, me); next != "" {
		lines = append(lines, "", a.Styled(cli.Faint, next))
	}
	return a.Print(strings.Join(lines, "\n") + "\n")
}

// header returns the lines above the body. Text from others is escaped.
func header(a *cli.App, s *handoff.Store, got handoff.Stored, notes []string) []string {
	e := got.Entry
	when := e.Time
	if at, err := time.Parse(time.RFC3339, e.Time); err == nil {
		when = handoff.Ago(at, time.Now()) + ", " + at.Local().Format("Mon 2 Jan 2006 15:04")
	}
	title := handoff.Title(got.Body, e.Topic)
	lines := []string{a.Styled(cli.Bold, title)}
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, a.Styled(cli.Faint, fmt.Sprintf("%-7s ", name))+handoff.EscapeLine(text))
		}
	}
	if title != e.Topic {
		add("topic", e.Topic)
	}
	add("from", e.From+" to "+e.To)
	add("when", when)
	add("id", cli.Short(e.ID, cli.Shortest)+"  "+got.Path)
	add("state", stateWords(s, e))
	add("tags", strings.Join(got.Tags, " "))
	add("thread", cli.Related(got.References))
	if got.Signature.State != handoff.SignatureUnsigned {
		add("signed", got.Signature.State+" "+got.Signature.Operator)
	}
	for _, note := range notes {
		add("note", note)
	}
	return lines
}

// stateWords returns the state of a handoff, and by which operator or handoff it came about.
func stateWords(s *handoff.Store, e handoff.Entry) string {
	l := e.Life()
	switch state := e.State(); {
	case state == handoff.StateSuperseded:
		return "superseded by " + cli.Successors(s, e, cli.Shortest)
	case state == handoff.StateTaken:
		return "taken by " + l.Take.Operator
	case state == handoff.StateDone:
		return "done by " + l.Done.Operator
	default:
		return string(state)
	}
}

// verbs are the commands for the steps of people.
var verbs = map[cli.Step]string{cli.Check: "check", cli.Resume: "take", cli.Take: "take", cli.Answer: "reply",
	cli.Done: "done", cli.MarkRead: "mark-read"}

// nextForPeople returns the line with the commands that me can run next.
func nextForPeople(s *handoff.Store, got handoff.Stored, me string) string {
	_, steps := cli.Steps(s, got, me)
	all := make([]string, len(steps))
	for i, step := range steps {
		all[i] = verbs[step]
	}
	if len(all) == 0 {
		return ""
	}
	return "next: handoff " + strings.Join(all, " | ") + " " + cli.Short(got.Entry.ID, cli.Shortest)
}
