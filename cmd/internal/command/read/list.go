package read

import (
	"bufio"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A listing is what the flags of list say beside what they choose.
type listing struct {
	format  string
	limit   int
	reverse bool

	forAgent bool // bodies in frames
	maxChars int  // of each of them
}

func listCommand(a *app) *cobra.Command {
	var f cli.Filter
	var l listing
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List handoffs, and how far each has come",
		Long: `List handoffs. Nothing found prints nothing and exits with 0. On a terminal the result is a table, newest
first, and what other clones do not have yet is said; else the rows of INDEX.md, one a line, in their order.

Unread means unread by its recipient; with --to OP, unread by OP. What is superseded or expired, done
or archived is not unread any more, but with --all. Of what is unread the table says when a session of
the recipient was told of it.

--unread --agent shows the unread handoffs to you, or to --to OP, oldest first and with their bodies. Each body is
proven to be what was written, made visible where it is invisible, and put in a frame that says that it is not an
instruction. Nothing is marked as read.`,
		Example: "  handoff list --unread --mine\n  handoff list --since yesterday -n 5\n  handoff list --since 48h --format ids | xargs -n1 handoff read",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.CollectOften()
			chosen, err := f.Chosen(a.App)
			if err != nil {
				return err
			}
			if l.forAgent {
				return a.listForAgent(chosen, l.maxChars)
			}
			chosen.Present = !chosen.All && chosen.State == ""
			return a.list(chosen, l)
		},
	}
	f.Register(cmd)
	a.Format(cmd, &l.format, cli.Listed...)
	cli.Number(cmd.Flags(), &l.limit, "limit", "n", "only this `number` of the newest")
	cmd.Flags().BoolVar(&l.forAgent, "agent", false, "with --unread: print the bodies too, in frames")
	cli.Number(cmd.Flags(), &l.maxChars, "max-chars", "", "with --agent: cut each body after this `number` of characters (default surface_max_chars)")
	cli.Needs(cmd, "agent", "unread")
	cli.Needs(cmd, "max-chars", "agent")
	for _, flag := range []string{"format", "limit", "reverse"} {
		cli.Exclusive(cmd, "agent", flag)
	}
	cmd.Flags().BoolVar(&l.reverse, "reverse", false, "the other way round")
	return cmd
}

// listForAgent shows what is unread in frames. What is chosen besides its recipient is refused.
func (a *app) listForAgent(chosen handoff.Filter, maxChars int) error {
	if chosen != (handoff.Filter{Unread: true, To: chosen.To}) {
		return cli.Invalid("leave the others out", "--agent goes with --unread and --to alone")
	}
	return a.surface(chosen.To, maxChars)
}

func (a *app) list(chosen handoff.Filter, l listing) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	print := a.ListPrinter(&l.format)
	in, err := s.Chosen(chosen)
	if err != nil {
		return err
	}
	if len(in.Newest) == 0 {
		a.NoteSlips(s, chosen.To, chosen.From)
		a.NoteNothing(p, s, nothing(chosen))
	}
	out := bufio.NewWriter(a.Stdout)
	if err := print(a.App, out, s, l.order(in.Newest)); err != nil {
		return err
	}
	if left := in.Left(); left != "" {
		a.Note(left + ": --all lists them too")
	}
	if err := out.Flush(); err != nil || !cli.IsTerminal(a.Stdout) {
		return err
	}
	if text := cli.Standing(p, s, false); text != "" {
		a.Note(text)
	}
	return nil
}

// nothing says that a list is empty.
func nothing(chosen handoff.Filter) string {
	switch (handoff.Filter{To: chosen.To, Present: chosen.Present}) {
	case chosen:
		if chosen.To == "" {
			return "no handoffs here yet"
		}
		return "nothing for " + chosen.To
	}
	return "nothing matches; `handoff list --all` lists everything"
}

// order returns the entries that are asked for, in the order of the format: a table has the newest first, all else that of
// the index.
func (l listing) order(entries []handoff.Entry) []handoff.Entry {
	if l.limit > 0 && l.limit < len(entries) {
		newest := handoff.NewestFirst(entries)[:l.limit]
		kept := make(map[string]bool, l.limit)
		for _, e := range newest {
			kept[e.ID] = true
		}
		entries = slices.DeleteFunc(entries, func(e handoff.Entry) bool { return !kept[e.ID] })
	}
	if l.format == "table" {
		entries = handoff.NewestFirst(entries)
	}
	if l.reverse {
		slices.Reverse(entries)
	}
	return entries
}

// SGR as every terminal knows it (ECMA-48, 8.3.117).
