package everyday

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func searchCommand(a *App) *cobra.Command {
	var f Filter
	limit := 20
	var format string
	cmd := &cobra.Command{
		Use:   "search WORD…",
		Short: "Find the handoffs that hold all words, newer first",
		Long: `Find the handoffs that hold all words: in the body, from, to, topic, time, tags or references. Upper
and lower case are the same; a word is found inside longer ones, and may hold spaces. Those with the
later ts_utc come first. Each handoff that is shown was proven to be what was written; what it says
is escaped, after a bar. Archived handoffs are searched too. Nothing found prints nothing and exits
with 0.`,
		Example: "  handoff search deploy --to ben --since 720h\n  handoff search 'retry policy' broker --format ids | xargs -n1 handoff read",
		Args:    Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			chosen, err := f.Chosen(a)
			if err != nil {
				return err
			}
			s, err := a.Store()
			if err != nil {
				return err
			}
			found, err := s.Search(context.Background(), handoff.Query{Filter: chosen, Words: words, Limit: limit})
			if err != nil {
				return err
			}
			if found.Total == 0 {
				a.NoteSlips(s, chosen.To, chosen.From)
			}
			return a.printFound(s, found, limit, format)
		},
	}
	f.Register(cmd)
	Number(cmd.Flags(), &limit, "limit", "n", "show at most this `number` of handoffs; 0 shows all")
	a.Format(cmd, &format, "text", "jsonl", "ids")
	return cmd
}

func (a *App) printFound(s *handoff.Store, found handoff.Found, limit int, format string) error {
	out := bufio.NewWriter(a.Stdout)
	rows := make([]handoff.Entry, len(found.Matches))
	for i, m := range found.Matches {
		rows[i] = m.Row
	}
	var err error
	switch format {
	case "ids":
		err = listFormats["ids"](a, out, s, rows)
	case "jsonl":
		for i, l := range s.ListedWhole(rows) {
			if err = encodeJSON(out, foundLine{l, passages(found.Matches[i])}); err != nil {
				break
			}
		}
	default:
		for _, m := range found.Matches {
			printMatch(out, m)
		}
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil && limit > 0 && found.Total > limit {
		a.Note(fmt.Sprintf("%d more match; --limit 0 shows all", found.Total-limit))
	}
	return err
}

// printMatch puts a bar before what others wrote, so that none of it can look like ours. The writer keeps the first error.
func printMatch(w *bufio.Writer, m handoff.Match) {
	fmt.Fprintln(w, handoff.EscapeLine(fmt.Sprintf("%s  %s  %s to %s: %s", Short(m.ID, shortest), m.Time, m.From, m.To, m.Topic)))
	for _, p := range m.Passages {
		where := p.Where
		if p.Line > 0 {
			where = fmt.Sprintf("line %d", p.Line)
		}
		fmt.Fprintf(w, "    %s | %s\n", where, handoff.EscapeLine(p.Text))
	}
}

type foundLine struct {
	handoff.Listed
	Passages []foundPassage `json:"passages"`
}

type foundPassage struct {
	Where string `json:"where"`
	Line  int    `json:"line,omitempty"` // of the body
	Text  string `json:"text"`           // escaped
}

func passages(m handoff.Match) []foundPassage {
	all := make([]foundPassage, len(m.Passages))
	for i, p := range m.Passages {
		all[i] = foundPassage{p.Where, p.Line, handoff.EscapeLine(p.Text)}
	}
	return all
}
