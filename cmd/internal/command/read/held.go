package read

import (
	"fmt"
	"slices"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// listHeld prints the handoffs that are held, the newest first.
func (a *app) listHeld() error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	all, err := exchange.ReadHeld(s)
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(x, y exchange.Held) int { return timeOf(y.Time).Compare(timeOf(x.Time)) })
	if len(all) == 0 {
		a.Note("nothing is held")
	}
	return cli.Lines(a.App, all, func() (string, error) {
		text := ""
		for _, h := range all {
			text += a.heldText(h)
		}
		return text, nil
	})
}

// heldText returns a held handoff with the reason and the way out: on a terminal in several lines, else in one.
func (a *app) heldText(h exchange.Held) string {
	id := cli.Short(h.ID, cli.Shortest)
	if !a.ForPeople() {
		return handoff.EscapeLine(fmt.Sprintf("%s  %s  %s to %s: %s | held: %s; %s", id, h.Time, h.From, h.To, h.Topic,
			h.Why, h.Advice)) + "\n"
	}
	row := []string{id, h.From + " to " + h.To, a.When(h.Time), h.Topic}
	if h.From == "" {
		row = []string{id, "malformed"}
	}
	lines := handoff.Table(cli.TerminalWidth(a.Stdout), row, nil)
	return a.Styled(cli.Bold, lines[:len(lines)-1]) + "\n" + wrapped(a, "held: "+h.Why) + wrapped(a, h.Advice)
}

// wrapped returns an indented text in as many lines as it needs on the terminal.
func wrapped(a *app, text string) string {
	const indent = "    "
	width := cli.TerminalWidth(a.Stdout)
	if width == 0 {
		width = 1 << 20
	}
	all := ""
	for _, line := range handoff.Wrap(text, width-len(indent)) {
		all += indent + line + "\n"
	}
	return all
}
