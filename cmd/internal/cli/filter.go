package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Filter holds the flags that choose handoffs.
type Filter struct {
	Unread, All bool
	State       string
	To          string
	Mine        bool
	Origin
}

// An Origin holds the flags that choose handoffs by sender, topic, tag and time.
type Origin struct {
	From, Topic, Tag, Since string
}

// Declare adds the flags to a command.
func (o *Origin) Declare(flags *pflag.FlagSet) {
	flags.StringVar(&o.From, "from", "", "from this `operator`")
	flags.StringVar(&o.Topic, "topic", "", "with this `topic`")
	flags.StringVar(&o.Tag, "tag", "", "with this `tag` (slower: reads the documents)")
	flags.Var(value{"string", func() string { return o.Since }, func(text string) error {
		o.Since = text
		_, err := handoff.ParseSince(text, time.Now())
		return err
	}, nil}, "since", "not older than this `time`: yesterday, 7d, 48h, 2026-05-07")
}

// Declare adds the flags to a command.
func (f *Filter) Declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.Origin.Declare(flags)
	flags.BoolVar(&f.Unread, "unread", false, "unread by the recipient, or by --to")
	flags.BoolVar(&f.All, "all", false, "archived and withdrawn handoffs too; with --unread also superseded, "+
		"expired, taken and done ones")
	flags.Var(Choice(&f.State, states()...), "state", "in this `state`: unread, read, taken, done, superseded, "+
		"expired, archived, withdrawn")
	flags.StringVar(&f.To, "to", "", "to this `operator`")
	flags.BoolVar(&f.Mine, "mine", false, "to you")
	Conflicts(cmd, "mine", "to")
}

// Chosen returns the filter that the flags describe.
func (f *Filter) Chosen(a *App) (_ handoff.Filter, err error) {
	chosen := handoff.Filter{Unread: f.Unread, All: f.All, State: handoff.State(f.State),
		To: f.To, From: f.From, Topic: f.Topic, Tag: f.Tag}
	if f.Mine {
		p, s, err := a.ProjectStore()
		if err == nil {
			chosen.To, err = a.Acting(p, s, a.Who.Operator)
		}
		if err != nil {
			return chosen, err
		}
	}
	if f.Since != "" {
		chosen.Since, err = handoff.ParseSince(f.Since, time.Now())
	}
	return chosen, err
}
