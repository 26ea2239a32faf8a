package read

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func searchCommand(a *app) *cobra.Command {
	var f cli.Filter
	q := handoff.Query{Limit: 20}
	var format string
	cmd := &cobra.Command{
		Use:   "search WORD…",
		Short: "Find handoffs by words, the best first",
		Long: `Find handoffs by words, or by a question in a sentence. The best comes first
(BM25): a handoff ranks higher the more of the words it has, the rarer they
are, and the shorter it is. A word in its title or topic counts three times.
Among equals the newer comes first. --all finds only handoffs that have every
word.

search looks at title, body, topic, from, to, time, tags and references, also
of archived handoffs. Case and accents do not matter. A word finds its other
forms (deploys, deployed) and, with less weight, longer words that begin with
it. Very common words such as "what" and "the" do not count. Chinese, Japanese,
Korean and Thai need no spaces.

On a terminal you see a table, with the best line of each handoff below it. In
a pipe each handoff has a line, and up to three lines of its text after a bar.
Each handoff is compared with its id, and its text is escaped. If nothing is
found, search prints nothing and exits with 0. New handoffs can change the
order: in a script, sort by ts_utc.`,
		Example: "  handoff search 'why did we drop the retry queue?'\n" +
			"  handoff search deploy --to ben --since 720h\n" +
			"  handoff search --all retry broker --format ids | xargs -n1 handoff read",
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			chosen, err := f.Chosen(a.App)
			if err != nil {
				return err
			}
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			q.Filter, q.Words, q.Every = chosen, words, chosen.All
			q.All = false
			found, err := s.Search(context.Background(), q)
			if err != nil {
				return err
			}
			if found.Total == 0 {
				a.NoteSlips(s, chosen.To, chosen.From)
				a.NoteNothing(p, s, "nothing found"+adviceFor(words))
			}
			return a.printFound(s, found, q.Limit, format)
		},
	}
	f.Register(cmd)
	cmd.Flags().Lookup("all").Usage = "only handoffs that have every word"
	cli.Number(cmd.Flags(), &q.Limit, "limit", "n", "show at most this `number` of handoffs; 0 shows all")
	a.Format(cmd, &format, "text", "jsonl", "ids")
	return cmd
}

// adviceFor returns which flag to use if one of the words is a filter of the inbox, such as is:unread.
func adviceFor(words []string) string {
	for _, word := range words {
		name, value, _ := strings.Cut(word, ":")
		if flag := map[string]string{"is": "state", "from": "from", "to": "to"}[name]; flag != "" && value != "" {
			return fmt.Sprintf(": use --%s %s in place of %q", flag, value, word)
		}
	}
	return ""
}

func (a *app) printFound(s *handoff.Store, found handoff.Found, limit int, format string) error {
	out := bufio.NewWriter(a.Stdout)
	rows := make([]handoff.Entry, len(found.Matches))
	for i, m := range found.Matches {
		rows[i] = m.Row
	}
	var err error
	switch {
	case format == "ids":
		err = cli.ListFormats["ids"](a.App, out, s, rows)
	case format == "jsonl":
		for i, l := range s.Listed(rows) {
			if err = cli.EncodeJSON(out, foundLine{l, found.Matches[i].Score, passages(found.Matches[i])}); err != nil {
				break
			}
		}
	case format == "" && cli.IsTerminal(a.Stdout):
		below := make([]string, len(rows)) // the passage that answers best, of those that have one
		for i, m := range found.Matches {
			if len(m.Passages) > 0 {
				below[i] = passageLine(m.Passages[0])
			}
		}
		a.PrintTable(out, s, rows, below)
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
	handoff.Listed
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
