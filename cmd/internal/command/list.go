package command

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type listFlags struct {
	cli.Filter
	Format string
	Limit  int
	Held   bool
}

func listCommand(a *cli.App) *cobra.Command {
	f := &listFlags{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List handoffs and their state",
		Long: `List handoffs. On a terminal you see a table, newest first. In a pipe, list
prints the rows of INDEX.md in their order. If nothing is found, it prints
nothing and exits with 0.

Archived and withdrawn handoffs are hidden; --all shows them. --unread lists
what the recipient has not read, or with --to NAME what NAME has not read. It
hides superseded, expired, taken and done handoffs; --all shows them.`,
		Example: `  handoff list --unread --mine
  handoff list --since yesterday -n 5
  handoff list --since 48h --format ids | xargs -n1 handoff read`,
		RunE: func(_ *cobra.Command, _ []string) error {
			if f.Held {
				return listHeld(a)
			}
			return list(a, f)
		},
	}
	flags := cmd.Flags()
	f.Filter.Declare(cmd)
	flags.BoolVar(&f.Held, "held", false, "list what was received and is not stored yet, and why")
	flags.Var(cli.Choice(&f.Format, "table", "rows", "jsonl", "ids", "json"), "format", "output `format`: "+
		"table, rows, jsonl, ids, json")
	flags.VarP(cli.Number(&f.Limit), "limit", "n", "list only the newest handoffs, this `number` of them")
	a.Paged(cmd)
	return cmd
}

func list(a *cli.App, f *listFlags) error {
	cli.CollectOften()
	if a.JSON && slices.Contains([]string{"table", "rows", "ids"}, f.Format) {
		return cli.Invalid("remove one", "--json conflicts with --format %s", f.Format)
	}
	chosen, err := f.Chosen(a)
	if err != nil {
		return err
	}
	chosen.Present = !chosen.All && chosen.State == ""
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	in, err := s.Chosen(chosen)
	if err != nil {
		return err
	}
	if len(in.Newest) == 0 {
		if err := noteEmpty(a, p, s, chosen, in); err != nil {
			return err
		}
	}
	format := formatOf(a, f.Format)
	if format == "table" || f.Limit > 0 {
		in.Newest = handoff.NewestFirst(in.Newest)
		if f.Limit > 0 {
			in.Newest = in.Newest[:min(f.Limit, len(in.Newest))]
		}
		if format != "table" {
			slices.Reverse(in.Newest)
		}
	}
	if err := printList(a, s, in.Newest, format); err != nil {
		return err
	}
	if in.Missing > 0 {
		a.Note(fmt.Sprintf("%s missing: run `handoff %s`", handoff.Count(in.Missing, "file"),
			map[bool]string{true: "sync", false: "verify --repair"}[in.IsSynced]))
	}
	if left := in.Left(); left != "" {
		a.Note(left + ": --all lists them")
	}
	return nil
}

// noteEmpty says that nothing was found, and which names are unknown. A name that is surely another one is an error.
func noteEmpty(a *cli.App, p handoff.Project, s *handoff.Store, chosen handoff.Filter, in handoff.Inbox) error {
	for _, name := range []string{chosen.To, chosen.From} {
		if _, err := s.Registry().Meant(name); err != nil {
			return err
		}
		if why, _ := s.Registry().WhyUnknown(name); name != "" && why != "" {
			a.Note(why)
		}
	}
	text := "nothing matches; `handoff list --all` lists everything"
	switch (handoff.Filter{To: chosen.To, From: chosen.From, Present: chosen.Present, All: chosen.All}) {
	case chosen:
		text = "no handoffs here yet"
		if chosen.From != "" {
			text = "nothing from " + chosen.From
		}
		if chosen.To != "" {
			text = "nothing for " + chosen.To
		}
	}
	// asking git takes time
	if !in.IsSynced && (in.IsNew || a.ForPeople()) && isUnsynced(p, s) {
		text += "; " + neverSynced
	}
	a.Note(text)
	return nil
}

const neverSynced = "this clone has never synced: run `handoff sync`"

// isUnsynced reports whether there is a remote that the store was never exchanged with.
func isUnsynced(p handoff.Project, s *handoff.Store) bool {
	_, has := s.HasSynced()
	return !has && p.HasRemote()
}

func listHeld(a *cli.App) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	held, err := s.Held()
	if err != nil {
		return err
	}
	if len(held) == 0 {
		a.Note("nothing is held")
	}
	return cli.Lines(a, held, func() string { return heldLines(a, held) })
}

// heldLines returns a line for each document that is held.
func heldLines(a *cli.App, held []handoff.Held) (text string) {
	for _, h := range held {
		text += handoff.EscapeLine("held "+cli.Short(h.ID, cli.Shortest)+": "+cli.Fit(a.Stdout, h.Why)) + "\n"
	}
	return text
}
