package everyday

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func receiptsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "receipts ID",
		Short: "Say who was offered a handoff, and who has read it",
		Long: `Say which sessions were told of a handoff, whose they were and when, and who has marked it as read.
That a session was told is recorded as far as that is possible at once; it proves nothing.`,
		Example:           "  handoff receipts 134327a8",
		Args:              Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			s, err := a.Store()
			if err != nil {
				return err
			}
			d, err := s.Delivery(ids[0])
			if err != nil {
				return err
			}
			return a.Show(deliveredOf(d), deliveryText(d, TerminalWidth(a.Stdout)))
		},
	}
}

func deliveryText(d handoff.Delivery, width int) string {
	id := d.ID
	if width > 0 { // people see it
		id = Short(id, shortest)
	}
	text := fmt.Sprintf("%s from %s to %s about %s: %s; offered to %s, read by %d\n", id, d.From, d.To, d.Topic, d.State, sessions(len(d.Offers)), len(d.ReadBy))
	rows := make([][]string, 0, len(d.Offers)+len(d.ReadBy))
	for _, o := range d.Offers {
		rows = append(rows, []string{"offered", o.Operator, o.Time, o.Agent, o.Session})
	}
	for _, m := range d.ReadBy {
		rows = append(rows, []string{"read", m.Operator, m.Time, "", ""})
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
