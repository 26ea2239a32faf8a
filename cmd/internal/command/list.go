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
also hides superseded, expired, taken and done handoffs, unless you add --all.`,
		Example: `  handoff list --unread --mine
  handoff list --since yesterday -n 5
  handoff list --since 48h --format ids | xargs -n1 handoff read`,
		RunE: func(_ *cobra.Command, _ []string) error { return list(a, f) },
	}
	flags := cmd.Flags()
	f.Filter.Declare(cmd)
	flags.Var(cli.Choice(&f.Format, "table", "rows", "jsonl", "ids", "json"), "format", "output `format`: "+
		"table, rows, jsonl, ids, json")
	flags.VarP(cli.Number(&f.Limit), "limit", "n", "list only the newest handoffs, this `number` of them")
	a.Paged(cmd)
	return cmd
}

func list(a *cli.App, f *listFlags) error {
	cli.CollectOften()
	chosen, err := f.Chosen(a)
	if err != nil {
		return err
	}
	chosen.Present = !chosen.All && chosen.State == ""
	return listChosen(a, chosen, f)
}

func listChosen(a *cli.App, chosen handoff.Filter, f *listFlags) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	f.Format = FormatOf(a, f.Format)
	in, err := s.Chosen(chosen)
	if err != nil {
		return err
	}
	if len(in.Newest) == 0 {
		a.NoteSlips(s, chosen.To, chosen.From)
		a.NoteNothing(emptyText(chosen))
	}
	if err := PrintList(a, s, f.order(in.Newest), f.Format); err != nil {
		return err
	}
	if in.Missing > 0 {
		verb, remedy := "are", "verify --repair"
		if in.Missing == 1 {
			verb = "is"
		}
		if in.IsSynced {
			remedy = "sync"
		}
		a.Note(fmt.Sprintf("%d %s missing: run `handoff %s`", in.Missing, verb, remedy))
	}
	if left := in.Left(); left != "" {
		a.Note(left + ": --all lists them")
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
func (f *listFlags) order(entries []handoff.Entry) []handoff.Entry {
	if f.Limit > 0 && f.Limit < len(entries) {
		newest := handoff.NewestFirst(entries)[:f.Limit]
		kept := make(map[string]bool, f.Limit)
		for _, e := range newest {
			kept[e.ID] = true
		}
		entries = slices.DeleteFunc(entries, func(e handoff.Entry) bool { return !kept[e.ID] })
	}
	if f.Format == "table" {
		entries = handoff.NewestFirst(entries)
	}
	return entries
}
