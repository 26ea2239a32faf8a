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
			return a.printFound(s, found, limit, searchFormats[format])
		},
	}
	f.Register(cmd)
	Number(cmd.Flags(), &limit, "limit", "n", "show at most this `number` of handoffs; 0 shows all")
	a.Format(cmd, &format, "text", "jsonl", "ids")
	return cmd
}

func (a *App) printFound(s *handoff.Store, found handoff.Found, limit int, print func(*handoff.Store, *bufio.Writer, handoff.Match) error) error {
	out := bufio.NewWriter(a.Stdout)
	for _, m := range found.Matches {
		if err := print(s, out, m); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if limit > 0 && found.Total > limit {
		a.Note(fmt.Sprintf("%d more match; --limit 0 shows all", found.Total-limit))
	}
	return nil
}

var searchFormats = map[string]func(*handoff.Store, *bufio.Writer, handoff.Match) error{
	"":      printMatch,
	"text":  printMatch,
	"jsonl": printMatchJSON,
	"ids": func(_ *handoff.Store, w *bufio.Writer, m handoff.Match) error {
		_, err := fmt.Fprintln(w, m.ID)
		return err
	},
}

// printMatch puts a bar before what others wrote, so that none of it can look like ours.
func printMatch(_ *handoff.Store, w *bufio.Writer, m handoff.Match) error {
	fmt.Fprintln(w, handoff.EscapeLine(fmt.Sprintf("%s  %s  %s to %s: %s", Short(m.ID, shortest), m.Time, m.From, m.To, m.Topic)))
	for _, p := range m.Passages {
		where := p.Where
		if p.Line > 0 {
			where = fmt.Sprintf("line %d", p.Line)
		}
		fmt.Fprintf(w, "    %s | %s\n", where, handoff.EscapeLine(p.Text))
	}
	return nil // the writer keeps the first error for Flush
}

type foundPassage struct {
	Where string `json:"where"`
	Line  int    `json:"line,omitempty"` // of the body
	Text  string `json:"text"`           // escaped
}

func printMatchJSON(s *handoff.Store, w *bufio.Writer, m handoff.Match) error {
	line := struct {
		handoff.Listed
		Passages []foundPassage `json:"passages"`
	}{s.ListedEntry(m.Row), []foundPassage{}}
	for _, p := range m.Passages {
		line.Passages = append(line.Passages, foundPassage{p.Where, p.Line, handoff.EscapeLine(p.Text)})
	}
	return encodeJSON(w, line)
}
