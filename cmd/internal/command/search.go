package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func searchCommand(a *cli.App) *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:   "search WORD…",
		Short: "Find handoffs by words, the best first",
		Long: `Find handoffs by words, or by a question in a sentence. The best comes first.

A handoff ranks higher the more of the words it has, the rarer they are, and
the shorter it is; words in its title and topic count three times. search looks
at all handoffs, archived ones too. Case and accents do not matter, and a word
finds longer words that begin with it (deploy: deployed).

Below each handoff stands the line that fits best. If nothing is found, search
prints nothing and exits with 0. New handoffs can change the order: in a script,
sort by ts_utc.`,
		Example: `  handoff search 'why did we drop the retry queue?'
  handoff search deploy -n 5`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return search(a, limit, args) },
	}
	cmd.Flags().VarP(cli.Number(&limit), "limit", "n", "show at most this `number` of handoffs; 0 shows all")
	a.Paged(cmd)
	return cmd
}

func search(a *cli.App, limit int, words []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	found, err := s.Search(context.Background(), handoff.Query{Words: words, Limit: limit})
	if err != nil {
		return err
	}
	if found.Total == 0 {
		a.NoteNothing("nothing found")
	}
	if err := printFound(a, s, found.Matches); err != nil {
		return err
	}
	if limit > 0 && found.Total > limit {
		a.Note(fmt.Sprintf("%d more match; --limit 0 shows all", found.Total-limit))
	}
	return nil
}

// A foundLine is a match as JSON.
type foundLine struct {
	handoff.Entry
	Score    float64           `json:"score"`
	Passages []handoff.Passage `json:"passages"` // their texts are escaped
}

// printFound prints matches. A bar stands before text from others, so that it cannot pass for text of the program.
func printFound(a *cli.App, s *handoff.Store, matches []handoff.Match) error {
	entries := make([]handoff.Entry, len(matches))
	for i, m := range matches {
		entries[i] = m.Entry
	}
	rows, lines, text := make([]row, len(matches)), make([]foundLine, len(matches)), ""
	for i, l := range s.Listed(entries) {
		m, below := matches[i], ""
		for j, p := range m.Passages {
			m.Passages[j].Text = handoff.EscapeLine(p.Text)
			where := p.Where
			if p.Line > 0 {
				where = fmt.Sprintf("line %d", p.Line)
			}
			below += "    " + where + " | " + m.Passages[j].Text + "\n"
		}
		lines[i] = foundLine{l, m.Score, append([]handoff.Passage{}, m.Passages...)}
		rows[i] = row{l, a.When(l.Time), strings.TrimSuffix(below, "\n")}
		text += handoff.EscapeLine(fmt.Sprintf("%s  %s  %s to %s: %s", cli.Short(l.ID, cli.Shortest), l.Time, l.From,
			l.To, l.Topic)) + "\n" + below
	}
	if cli.IsTerminal(a.Stdout) {
		text = table(a, rows, true)
	}
	return cli.Lines(a, lines, func() string { return text })
}
