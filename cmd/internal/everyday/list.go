package everyday

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func listCommand(a *App) *cobra.Command {
	var f Filter
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List handoffs, in the order in which they were written",
		Long: `List handoffs, older ones first. Nothing found prints nothing and exits with 0.

Unread means unread by its recipient; with --to OP, unread by OP. What is superseded or expired, done
or archived is not unread any more, but with --all. Offered means that a session of
the recipient was told, and nobody has marked it as read. On a terminal the result is a table, and
what other clones do not have yet is said; else the rows of INDEX.md, one a line.`,
		Example: "  handoff list --unread --to ben\n  handoff list --since 48h --format ids | xargs -n1 handoff read",
		Args:    Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			CollectOften()
			chosen, err := f.Chosen(cmd)
			if err != nil {
				return err
			}
			if a.JSON && format == "" {
				format = "jsonl"
			}
			if format == "" && IsTerminal(a.Stdout) {
				format = "table"
			}
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			print, ok := listFormats[format]
			if !ok {
				return Invalid("use table, rows, json, jsonl or ids", "unknown format %q", format)
			}
			in, err := s.Chosen(chosen)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(a.Stdout)
			if err := print(a, out, s, in.Newest); err != nil {
				return err
			}
			if left := in.Left(); left != "" {
				a.Note(left + ": --all lists them too")
			}
			if err := out.Flush(); err != nil || !IsTerminal(a.Stdout) {
				return err
			}
			if text := Standing(p, s, false); text != "" {
				a.Note(text)
			}
			return nil
		},
	}
	f.Register(cmd)
	cmd.Flags().StringVar(&format, "format", "", "`how` to print: table, rows, json, jsonl or ids")
	return cmd
}

// A Filter is what chooses handoffs on a command line.
type Filter struct {
	handoff.Filter
	since string
}

// Register adds the flags to a command.
func (f *Filter) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Unread, "unread", false, "only those that their recipient (or --to) has not marked as read")
	cmd.Flags().BoolVar(&f.All, "all", false, "with --unread, also those that are superseded, expired, done or archived")
	cmd.Flags().StringVar((*string)(&f.State), "state", "", "only those in this `state`: "+states())
	cmd.Flags().BoolVar(&f.Offered, "offered", false, "only those that a session of their recipient was told of, and that are unread")
	cmd.Flags().BoolVar(&f.Here, "here", false, "only those written on the branch that is checked out here")
	cmd.Flags().BoolVar(&f.Orphaned, "orphaned", false, "only those to operators who have never marked anything as read")
	cmd.Flags().StringVar(&f.To, "to", "", "only those to this `operator`")
	cmd.Flags().StringVar(&f.From, "from", "", "only those from this `operator`")
	cmd.Flags().StringVar(&f.Topic, "topic", "", "only those about this `topic`")
	cmd.Flags().StringVar(&f.Tag, "tag", "", "only those with this `tag` (reads the documents)")
	cmd.Flags().StringVar(&f.since, "since", "", "only those not older than this `time`, date or duration (48h, 7d, 2w)")
}

func states() string {
	var names []string
	for _, s := range handoff.States() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// Chosen returns what the flags choose.
func (f *Filter) Chosen(cmd *cobra.Command) (handoff.Filter, error) {
	if err := NoneEmpty(cmd, "to", "from", "topic", "tag", "since", "state"); err != nil || f.since == "" {
		return f.Filter, err
	}
	at, err := handoff.ParseSince(f.since, time.Now())
	f.Since = at
	return f.Filter, err
}

var listFormats = map[string]func(*App, *bufio.Writer, *handoff.Store, []handoff.Entry) error{
	"":     printRows,
	"rows": printRows,
	"ids": func(_ *App, w *bufio.Writer, _ *handoff.Store, es []handoff.Entry) error {
		return eachLine(w, es, func(e handoff.Entry) string { return e.ID })
	},
	"table": printTable,
	"jsonl": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		for _, e := range s.Listed(es) {
			if err := encodeJSON(w, e); err != nil {
				return err
			}
		}
		return nil
	},
	"json": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		return encodeJSON(w, s.Listed(es))
	},
}

func printRows(_ *App, w *bufio.Writer, _ *handoff.Store, entries []handoff.Entry) error {
	return eachLine(w, entries, func(e handoff.Entry) string { return e.String() })
}

func eachLine(w *bufio.Writer, entries []handoff.Entry, line func(handoff.Entry) string) error {
	for _, e := range entries {
		if _, err := w.WriteString(line(e) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

func printTable(a *App, w *bufio.Writer, s *handoff.Store, entries []handoff.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	rows := make([][]string, len(entries))
	for i, e := range s.Listed(entries) {
		rows[i] = []string{e.ID[len("sha256:"):][:12], e.Time, e.From, e.To, e.Topic, string(e.State)}
	}
	_, err := fmt.Fprint(w, handoff.Table(TerminalWidth(a.Stdout), []string{"ID", "TIME", "FROM", "TO", "TOPIC", "STATE"}, rows))
	return err
}
