package command

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type searchFlags struct {
	Limit int
}

func searchCommand(a *cli.App) *cobra.Command {
	f := &searchFlags{Limit: 20}
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
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return search(a, f, args) },
	}
	cmd.Flags().VarP(cli.Number(&f.Limit), "limit", "n", "show at most this `number` of handoffs; 0 shows all")
	a.Paged(cmd)
	return cmd
}

func search(a *cli.App, f *searchFlags, words []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	found, err := s.Search(context.Background(), handoff.Query{Words: words, Limit: f.Limit})
	if err != nil {
		return err
	}
	if found.Total == 0 {
		a.NoteNothing("nothing found")
	}
	return printFound(a, s, found, f.Limit)
}

func printFound(a *cli.App, s *handoff.Store, found handoff.Found, limit int) error {
	out := bufio.NewWriter(a.Stdout)
	rows := make([]handoff.Entry, len(found.Matches))
	for i, m := range found.Matches {
		rows[i] = m.Entry
	}
	var err error
	switch {
	case a.JSON:
		for i, l := range s.Listed(rows) {
			if err = cli.EncodeJSON(out, foundLine{l, found.Matches[i].Score, passages(found.Matches[i])}); err != nil {
				break
			}
		}
	case cli.IsTerminal(a.Stdout):
		below := make([]string, len(rows)) // the passages of those that have one
		for i, m := range found.Matches {
			if len(m.Passages) > 0 {
				below[i] = passageLine(m.Passages[0])
			}
		}
		printTable(a, out, s, rows, below)
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

// printMatch prints a bar before text from others, so that it cannot pass for text of the program. The writer keeps the
// first error.
func printMatch(w *bufio.Writer, m handoff.Match) {
	line := fmt.Sprintf("%s  %s  %s to %s: %s", cli.Short(m.ID, cli.Shortest), m.Time, m.From, m.To, m.Topic)
	fmt.Fprintln(w, handoff.EscapeLine(line))
	for _, p := range m.Passages {
		fmt.Fprintln(w, passageLine(p))
	}
}

func passageLine(p handoff.Passage) string {
	where := p.Where
	if p.Line > 0 {
		where = fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("    %s | %s", where, handoff.EscapeLine(p.Text))
}

type foundLine struct {
	handoff.Entry
	Score    float64        `json:"score"`
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
