package read

import (
	"slices"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type listFlags struct {
	cli.Filter
	Format string `one:"table,rows,jsonl,ids,json"`
	Limit  int    `flag:",n"`
	Held   bool   `not:"format limit"` // list what is held instead
	*cli.Paging
}

func list(a *cli.App, f *listFlags, _ []string) error {
	cli.CollectOften()
	switch {
	case f.Held && f.Filter != (cli.Filter{}):
		return cli.Invalid("remove the other flags", "--held conflicts with flags that choose handoffs")
	case f.Held:
		return listHeld(a)
	}
	chosen, err := f.Chosen(a)
	if err != nil {
		return err
	}
	chosen.Present = !chosen.All && chosen.State == ""
	return listChosen(a, chosen, f)
}

func listChosen(a *cli.App, chosen handoff.Filter, f *listFlags) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	s = s.Glance()
	f.Format = FormatOf(a, f.Format)
	in, err := s.Chosen(chosen)
	if err != nil {
		return err
	}
	if len(in.Newest) == 0 {
		a.NoteSlips(s, chosen.To, chosen.From)
		a.NoteNothing(p, s, emptyText(chosen))
	}
	if err := PrintList(a, s, f.order(in.Newest), f.Format); err != nil {
		return err
	}
	if left := in.Left(); left != "" {
		a.Note(left + ": --all lists them")
	}
	if text := cli.SyncStatus(p, s, nil, false); text != "" {
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
