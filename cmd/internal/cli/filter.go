package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Filter is what chooses handoffs on a command line.
type Filter struct {
	handoff.Filter
	since, until string
	mine         bool
}

// Register adds the flags to a command.
func (f *Filter) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Unread, "unread", false, "only those that their recipient (or --to) has not marked as read")
	cmd.Flags().BoolVar(&f.All, "all", false, "also those that are archived, and with --unread those that are superseded, expired, taken or done")
	Choice(cmd, (*string)(&f.State), "state", "only those in this `state`", states()...)
	cmd.Flags().BoolVar(&f.Offered, "offered", false, "only those that a session of their recipient was told of, and that are unread")
	cmd.Flags().BoolVar(&f.Orphaned, "orphaned", false, "only those that nobody reads: to operators who have never read anything or have left, or of which nobody was told for 14 days")
	cmd.Flags().StringVar(&f.To, "to", "", "only those to this `operator`")
	cmd.Flags().BoolVar(&f.mine, "mine", false, "only those to you")
	f.RegisterOrigin(cmd)
	Exclusive(cmd, "mine", "to")
}

// registerOrigin adds those of the flags that choose by what was written, from where and when.
func (f *Filter) RegisterOrigin(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Here, "here", false, "only those written on the branch that is checked out here")
	cmd.Flags().StringVar(&f.From, "from", "", "only those from this `operator`")
	cmd.Flags().StringVar(&f.Topic, "topic", "", "only those about this `topic`")
	cmd.Flags().StringVar(&f.Tag, "tag", "", "only those with this `tag` (reads the documents)")
	cmd.Flags().StringVar(&f.since, "since", "", "only those not older than this `time`, date, yesterday or duration (48h, 7d, 2w)")
	cmd.Flags().StringVar(&f.until, "until", "", "only those that are older, or of that day at the latest (a `time` as for --since)")
}

func states() (names []string) {
	for _, s := range handoff.States() {
		names = append(names, string(s))
	}
	return names
}

// Chosen returns what the flags choose.
func (f *Filter) Chosen(a *App) (_ handoff.Filter, err error) {
	if f.mine {
		p, s, err := a.ProjectStore()
		if err == nil {
			f.To, err = a.Acting(p, s, "")
		}
		if err != nil {
			return f.Filter, err
		}
	}
	if f.since != "" {
		if f.Since, err = handoff.ParseSince(f.since, time.Now()); err != nil {
			return f.Filter, err
		}
	}
	if f.until != "" {
		f.Until, err = handoff.ParseBefore(f.until, time.Now())
	}
	return f.Filter, err
}
