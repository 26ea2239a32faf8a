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
	chosen, err := f.Chosen(a)
	if err != nil {
		return err
	}
	chosen.Present = !chosen.All && chosen.State == ""
	s, err := a.Store()
	if err != nil {
		return err
	}
	in, err := s.Chosen(chosen)
	if err != nil {
		return err
	}
	if len(in.Newest) == 0 {
		for _, name := range []string{chosen.To, chosen.From} {
			if _, err := s.Registry().Meant(name); name != "" && err != nil {
				return err
			}
		}
		a.NoteSlips(s, chosen.To, chosen.From)
		noteEmpty(a, chosen, in)
	}
	f.Format = FormatOf(a, f.Format)
	if err := PrintList(a, s, f.order(in.Newest), f.Format); err != nil {
		return err
	}
	if in.Missing > 0 {
		a.Note(fmt.Sprintf("%d %s missing: run `handoff %s`", in.Missing,
			map[bool]string{true: "is", false: "are"}[in.Missing == 1],
			map[bool]string{true: "sync", false: "verify --repair"}[in.IsSynced]))
	}
	if left := in.Left(); left != "" {
		a.Note(left + ": --all lists them")
	}
	return nil
}

// noteEmpty says that nothing was found.
func noteEmpty(a *cli.App, chosen handoff.Filter, in handoff.Inbox) {
	text := emptyText(chosen)
	mayAsk := !in.IsSynced && (in.IsNew || a.ForPeople()) // asking git takes time
	if p, err := a.Project(); err == nil && mayAsk && p.HasRemote() {
		text += "; " + neverSynced
	}
	a.Note(text)
}

const neverSynced = "this clone has never synced: run `handoff sync`"

// isUnsynced reports whether there is a remote that the store was never exchanged with.
func isUnsynced(p handoff.Project, s *handoff.Store) bool {
	_, has := s.HasSynced()
	return !has && p.HasRemote()
}

func emptyText(chosen handoff.Filter) string {
	switch (handoff.Filter{To: chosen.To, Present: chosen.Present, All: chosen.All}) {
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
	return cli.Lines(a, held, func() string { return heldText(a, held) })
}

// heldText returns a line for each document that is held.
func heldText(a *cli.App, held []handoff.Held) (text string) {
	for _, h := range held {
		text += handoff.EscapeLine("held "+cli.Short(h.ID, cli.Shortest)+": "+cli.Fit(a.Stdout, h.Why)) + "\n"
	}
	return text
}
