package read

import (
	"fmt"
	"slices"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// listHeld prints the handoffs that are held, the newest first.
func listHeld(a *cli.App) error {
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
	return cli.Lines(a, all, func() string {
		text := ""
		for _, h := range all {
			text += handoff.EscapeLine(fmt.Sprintf("%s  %s  %s to %s: %s | held: %s; %s", cli.Short(h.ID, cli.Shortest),
				a.When(h.Time), h.From, h.To, h.Topic, h.Why, h.Advice)) + "\n"
		}
		return cli.Fit(a.Stdout, text)
	})
}
