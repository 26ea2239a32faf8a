package everyday

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A listing is what the flags of list say beside what they choose.
type listing struct {
	format  string
	limit   int
	reverse bool

	forAgent bool // bodies in frames
	maxChars int  // of each of them
}

func listCommand(a *App) *cobra.Command {
	var f Filter
	var l listing
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List handoffs, and how far each has come",
		Long: `List handoffs. Nothing found prints nothing and exits with 0. On a terminal the result is a table, newest
first, and what other clones do not have yet is said; else the rows of INDEX.md, one a line, in their order.

Unread means unread by its recipient; with --to OP, unread by OP. What is superseded or expired, done
or archived is not unread any more, but with --all. Of what is unread the table says when a session of
the recipient was told of it.

--unread --agent shows the unread handoffs to you, or to --to OP, oldest first and with their bodies. Each body is
proven to be what was written, made visible where it is invisible, and put in a frame that says that it is not an
instruction. Nothing is marked as read.`,
		Example: "  handoff list --unread --mine\n  handoff list --since yesterday -n 5\n  handoff list --since 48h --format ids | xargs -n1 handoff read",
		Args:    Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			CollectOften()
			chosen, err := f.Chosen(a)
			if err != nil {
				return err
			}
			if l.forAgent {
				return a.listForAgent(chosen, l.maxChars)
			}
			chosen.Present = !chosen.All && chosen.State == ""
			return a.list(chosen, l)
		},
	}
	f.Register(cmd)
	a.Format(cmd, &l.format, listed...)
	Number(cmd.Flags(), &l.limit, "limit", "n", "only this `number` of the newest")
	cmd.Flags().BoolVar(&l.forAgent, "agent", false, "with --unread: print the bodies too, in frames")
	Number(cmd.Flags(), &l.maxChars, "max-chars", "", "with --agent: cut each body after this `number` of characters (default surface_max_chars)")
	Needs(cmd, "agent", "unread")
	Needs(cmd, "max-chars", "agent")
	for _, flag := range []string{"format", "limit", "reverse"} {
		Exclusive(cmd, "agent", flag)
	}
	cmd.Flags().BoolVar(&l.reverse, "reverse", false, "the other way round")
	return cmd
}

// listForAgent shows what is unread in frames. What is chosen besides its recipient is refused.
func (a *App) listForAgent(chosen handoff.Filter, maxChars int) error {
	if chosen != (handoff.Filter{Unread: true, To: chosen.To}) {
		return Invalid("leave the others out", "--agent goes with --unread and --to alone")
	}
	return a.surface(chosen.To, maxChars)
}

func (a *App) list(chosen handoff.Filter, l listing) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	print := a.listPrinter(&l.format)
	in, err := s.Chosen(chosen)
	if err != nil {
		return err
	}
	if len(in.Newest) == 0 {
		a.NoteSlips(s, chosen.To, chosen.From)
	}
	out := bufio.NewWriter(a.Stdout)
	if err := print(a, out, s, l.order(in.Newest)); err != nil {
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
}

// listed are the formats of a list. json is one array, for older scripts.
var listed = []string{"table", "rows", "jsonl", "ids", "json"}

// listPrinter returns what prints entries in a format, "" being the one for where they go.
func (a *App) listPrinter(format *string) func(*App, *bufio.Writer, *handoff.Store, []handoff.Entry) error {
	if *format == "" && IsTerminal(a.Stdout) {
		*format = "table"
	}
	return listFormats[*format]
}

// order returns the entries that are asked for, in the order of the format: a table has the newest first, all else that of
// the index.
func (l listing) order(entries []handoff.Entry) []handoff.Entry {
	if l.limit > 0 && l.limit < len(entries) {
		newest := handoff.NewestFirst(entries)[:l.limit]
		kept := make(map[string]bool, l.limit)
		for _, e := range newest {
			kept[e.ID] = true
		}
		entries = slices.DeleteFunc(entries, func(e handoff.Entry) bool { return !kept[e.ID] })
	}
	if l.format == "table" {
		entries = handoff.NewestFirst(entries)
	}
	if l.reverse {
		slices.Reverse(entries)
	}
	return entries
}

var listFormats = map[string]func(*App, *bufio.Writer, *handoff.Store, []handoff.Entry) error{
	"":     printRows,
	"rows": printRows,
	"ids": func(_ *App, w *bufio.Writer, _ *handoff.Store, es []handoff.Entry) error {
		return eachLine(w, es, func(e handoff.Entry) string { return e.ID })
	},
	"table": printTable,
	"jsonl": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		for _, e := range s.ListedWhole(es) {
			if err := encodeJSON(w, e); err != nil {
				return err
			}
		}
		return nil
	},
	"json": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		return encodeJSON(w, s.ListedWhole(es))
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

// printTable prints a line for each: on a terminal with how long ago it was, and what is unread in bold.
func printTable(a *App, w *bufio.Writer, s *handoff.Store, entries []handoff.Entry) error {
	return a.printTableOf(w, s, "TOPIC", entries, nil)
}

// printTableOf is printTable with another column for the topics of the entries, and a line below each.
func (a *App) printTableOf(w *bufio.Writer, s *handoff.Store, column string, entries []handoff.Entry, below []string) error {
	if len(entries) == 0 {
		return nil
	}
	now, people := time.Now(), IsTerminal(a.Stdout)
	digits := enoughDigits(entries)
	rows := make([][]string, len(entries))
	styles := make([]string, len(entries))
	for i, e := range s.Listed(entries) {
		when := e.Time
		if at, err := time.Parse(time.RFC3339, e.Time); err == nil && people {
			when = handoff.Ago(at, now)
		}
		rows[i] = []string{Short(e.ID, digits), when, e.From, e.To, e.Topic, stateWithDetail(e, now)}
		switch {
		case e.Unread:
			styles[i] = bold
		case e.State.IsOver():
			styles[i] = faint
		}
	}
	width := TerminalWidth(a.Stdout)
	table := handoff.Table(width, []string{"ID", "TIME", "FROM", "TO", column, "STATE"}, rows)
	for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		if style := append([]string{faint}, styles...)[i]; style != "" && a.Colours() {
			line = style + line + plain
		}
		fmt.Fprintln(w, line)
		if i > 0 && i <= len(below) && below[i-1] != "" {
			fmt.Fprint(w, handoff.Table(width, []string{below[i-1]}, nil))
		}
	}
	return nil // the writer keeps the first error for Flush
}

// stateWithDetail is the state of a handoff, with when its recipient was told of it.
func stateWithDetail(e handoff.Listed, now time.Time) string {
	if at, err := time.Parse(time.RFC3339, e.Told); err == nil {
		return string(e.State) + ", told " + handoff.Ago(at, now)
	}
	return string(e.State)
}

// SGR as every terminal knows it (ECMA-48, 8.3.117).
const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// Colours says whether standard output takes more than text (https://no-color.org).
func (a *App) Colours() bool {
	return IsTerminal(a.Stdout) && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}

const shortest = 8 // digits of an id that are shown

// Short returns so many digits of an id.
func Short(id string, digits int) string {
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(digits, len(id))]
}

// enoughDigits returns how many digits tell the ids apart, eight at least.
func enoughDigits(entries []handoff.Entry) int {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	slices.Sort(ids)
	most := shortest
	for i := 1; i < len(ids); i++ {
		a, b := Short(ids[i-1], 64), Short(ids[i], 64)
		for n := most; n < 64 && a != b && a[:n] == b[:n]; n++ {
			most = n + 1
		}
	}
	return most
}
