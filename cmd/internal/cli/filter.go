package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Filter holds the flags that choose handoffs.
type Filter struct {
	handoff.Filter
	since, until string
	mine         bool
}

// Register adds the flags to a command.
func (f *Filter) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Unread, "unread", false, "unread by the recipient, or by --to")
	cmd.Flags().BoolVar(&f.All, "all", false,
		"archived and withdrawn handoffs too; with --unread also superseded, expired, taken and done ones")
	Choice(cmd, (*string)(&f.State), "state", "in this `state`", states()...)
	cmd.Flags().BoolVar(&f.Offered, "offered", false, "unread, and a session of the recipient was told")
	cmd.Flags().BoolVar(&f.Orphaned, "orphaned", false,
		"unread, and the recipient has left, has never read anything, or was not told for 14 days")
	cmd.Flags().StringVar(&f.To, "to", "", "to this `operator`")
	cmd.Flags().BoolVar(&f.mine, "mine", false, "to you")
	f.RegisterOrigin(cmd)
	Exclusive(cmd, "mine", "to")
}

// RegisterOrigin adds the flags that choose by sender, topic, tag, branch and time.
func (f *Filter) RegisterOrigin(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Here, "here", false, "written on the current branch")
	cmd.Flags().StringVar(&f.From, "from", "", "from this `operator`")
	cmd.Flags().StringVar(&f.Topic, "topic", "", "with this `topic`")
	cmd.Flags().StringVar(&f.Tag, "tag", "", "with this `tag` (slower: reads the documents)")
	cmd.Flags().StringVar(&f.since, "since", "", "not older than this `time`: 2026-05-07, yesterday, 48h, 7d")
	cmd.Flags().StringVar(&f.until, "until", "", "not newer than this `time`, as for --since")
}

func states() (names []string) {
	for _, s := range handoff.States() {
		names = append(names, string(s))
	}
	return names
}

// Chosen returns the filter that the flags describe.
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
