package read

import (
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// receipts prints which sessions were told of the handoffs, and who has read them.
func (a *app) receipts(ids []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	for _, id := range ids {
		d, err := s.Delivery(id)
		if err != nil {
			return err
		}
		if err := a.Show(cli.DeliveredOf(d), a.deliveryText(d)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) deliveryText(d handoff.Delivery) string {
	width := cli.TerminalWidth(a.Stdout)
	id := d.ID
	if width > 0 { // on a terminal
		id = cli.Short(id, cli.Shortest)
	}
	text := fmt.Sprintf("%s from %s to %s, %q: %s; told to %s, read by %d\n", id, d.From, d.To, handoff.Cut(d.Title, 60), d.State, sessions(len(d.Offers)), len(d.ReadBy))
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
	return text + handoff.Table(width, []string{"WHAT", "OPERATOR", "TIME", "AGENT", "SESSION"}, rows)
}

func sessions(n int) string {
	if n == 1 {
		return "1 session"
	}
	return fmt.Sprintf("%d sessions", n)
}
