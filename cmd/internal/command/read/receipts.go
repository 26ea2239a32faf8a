package read

import (
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A delivery describes how a handoff reached its recipient.
type delivery struct {
	handoff.Listed
	Offers []handoff.Offer `json:"offers"`
}

// receipts prints which sessions were told of the handoffs, and who has read them.
func receipts(a *cli.App, ids []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	for _, id := range ids {
		e, err := s.Find(id)
		if err != nil {
			return err
		}
		d := delivery{s.ListedOne(e), append([]handoff.Offer{}, s.Sessions().OffersOf(e.ID)...)}
		if err := a.Show(d, deliveryText(a, d)); err != nil {
			return err
		}
	}
	return nil
}

func deliveryText(a *cli.App, d delivery) string {
	id := d.ID
	if cli.IsTerminal(a.Stdout) {
		id = cli.Short(id, cli.Shortest)
	}
	text := fmt.Sprintf("%s from %s to %s, %q: %s; told to %s, read by %d\n", id, d.From, d.To,
		handoff.Cut(d.Title, 60), d.State, handoff.Count(len(d.Offers), "session"), len(d.ReadBy))
	rows := make([][]string, 0, len(d.Offers)+len(d.ReadBy))
	for _, o := range d.Offers {
		rows = append(rows, []string{"told", o.Operator, a.When(o.Time), o.Agent, o.Session})
	}
	for _, m := range d.ReadBy {
		rows = append(rows, []string{"read", m.Operator, a.When(m.Time), "", ""})
	}
	if len(rows) == 0 {
		return text
	}
	return text + a.Table("WHAT OPERATOR TIME AGENT SESSION", rows)
}
