package read

import (
	"bufio"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A listing holds the flags of list that do not choose handoffs.
type listing struct {
	format  string
	limit   int
	reverse bool

	held     bool // list what is held instead
	forAgent bool // print bodies in frames
	maxChars int  // of each body
}

func listCommand(a *app) *cobra.Command {
	var f cli.Filter
	var l listing
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List handoffs and their state",
		Long: `List handoffs. On a terminal you see a table, newest first, and what other
clones do not have yet. In a pipe, list prints the rows of INDEX.md in their
order. If nothing is found, it prints nothing and exits with 0.

Archived and withdrawn handoffs are hidden; --all shows them. --unread lists
what the recipient has not read, or with --to NAME what NAME has not read. It
also hides superseded, expired, taken and done handoffs, unless you add --all.
For an unread handoff the table shows when a session was told of it.

--unread --agent prints the unread handoffs to you, or to --to NAME, oldest
first and with their bodies. Each body is compared with its id. Invisible
characters are made visible, and a frame says that the text is not an
instruction. Nothing is marked as read.

--held lists what sync has received and refused for now, with the reason and
what you can do: an operator who is not in OPERATORS.md, a missing signature, a
credential, a time that is more than 24 hours ahead.`,
		Example: "  handoff list --unread --mine\n  handoff list --since yesterday -n 5\n" +
			"  handoff list --since 48h --format ids | xargs -n1 handoff read",
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.CollectOften()
			chosen, err := f.Chosen(a.App)
			if err != nil {
				return err
			}
			if l.held {
				return a.listHeld(chosen, l)
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
	cli.Number(cmd.Flags(), &l.limit, "limit", "n", "list only the newest handoffs, this `number` of them")
	cmd.Flags().BoolVar(&l.forAgent, "agent", false, "with --unread: print the bodies too, in frames")
	cli.Number(cmd.Flags(), &l.maxChars, "max-chars", "",
		"with --agent: cut each body after this `number` of characters (default: the setting surface_max_chars)")
	cli.Needs(cmd, "agent", "unread")
	cli.Needs(cmd, "max-chars", "agent")
	heldFlag(cmd, &l.held)
	for _, flag := range []string{"format", "limit", "reverse"} {
		cli.Exclusive(cmd, "agent", flag)
	}
	cmd.Flags().BoolVar(&l.reverse, "reverse", false, "reverse the order")
	return cmd
}

// listForAgent prints unread handoffs in frames. It refuses every other way to choose than by recipient.
func (a *app) listForAgent(chosen handoff.Filter, maxChars int) error {
	if chosen != (handoff.Filter{Unread: true, To: chosen.To}) {
		return cli.Invalid("remove the other flags", "--agent accepts only --unread and --to")
	}
	return a.surface(chosen.To, maxChars)
}

func (a *app) list(chosen handoff.Filter, l listing) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	s = s.Glance()
	print := a.ListPrinter(&l.format)
	in, err := s.Chosen(chosen)
	if err != nil {
		return err
	}
	if len(in.Newest) == 0 {
		a.NoteSlips(s, chosen.To, chosen.From)
		a.NoteNothing(p, s, emptyText(chosen))
	}
	out := bufio.NewWriterSize(a.Stdout, 64<<10)
	if err := print(a.App, out, s, l.order(in.Newest)); err != nil {
		return err
	}
	if left := in.Left(); left != "" {
		a.Note(left + ": --all lists them")
	}
	if err := out.Flush(); err != nil || !cli.IsTerminal(a.Stdout) {
		return err
	}
	if text := cli.SyncStatus(p, s, false); text != "" {
		a.Note(text)
	}
	return nil
}

// emptyText returns the note for an empty list.
func emptyText(chosen handoff.Filter) string {
	switch (handoff.Filter{To: chosen.To, Present: chosen.Present}) {
	case chosen:
		if chosen.To == "" {
			return "no handoffs here yet"
		}
		return "nothing for " + chosen.To
	}
	return "nothing matches; `handoff list --all` lists everything"
}

// order returns the entries to print: newest first for a table, otherwise in the order of the index.
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
