package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Status is what waits for an operator, and what of theirs waits for others. Lists have the newest first.
type Status struct {
	Operator string           `json:"operator,omitempty"`
	Unread   int              `json:"unread"`
	ToMe     []handoff.Listed `json:"to_me"`
	Taken    []news           `json:"taken"`
	Sent     []handoff.Listed `json:"sent_unread"`
	News     []news           `json:"news"` // sent handoffs that others have finished
}

// A news is a handoff that an operator has taken or finished.
type news struct {
	handoff.Listed
	By    string      `json:"by"`
	When  string      `json:"when_utc"`
	Act   handoff.Act `json:"act"`
	Note  string      `json:"note,omitempty"`      // the reason that they gave
	Until string      `json:"until_utc,omitempty"` // the end of the lease of a take
}

// newsFor is how long a done of another operator is shown.
const newsFor = 24 * time.Hour

type statusFlags struct {
	Short bool
	*cli.Who
}

func statusCommand(a *cli.App) *cobra.Command {
	f := &statusFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what waits for you, and what you wait for",
		Long: `Show what waits for you: unread handoffs, and handoffs that you have taken. You
also see what you sent and is not read, and what others finished since yesterday
with the note that they left.

--short prints only the counts, for a prompt. If nothing waits, or there is no
project, it prints nothing. Its exit code is always 0.`,
		Example: `  handoff status
  PS1='$(handoff status --short)$ '`,
		RunE: func(_ *cobra.Command, _ []string) error { return status(a, f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Short, "short", false, "print only the counts, for a prompt")
	return cmd
}

func status(a *cli.App, f *statusFlags) error {
	if f.Short && !a.JSON {
		shortStatus(a)
		return nil
	}
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	a.NoteSlips(s, f.Operator)
	st, err := statusOf(a, s, p.MeOr(f.Operator))
	if err != nil {
		return err
	}
	return a.Show(st, statusText(a, p.Root, st))
}

// unreadStatus returns how many handoffs are unread.
func unreadStatus(s *handoff.Store, me string) (Status, handoff.Inbox, error) {
	in, err := s.Waiting(me, 0)
	return Status{Operator: me, Unread: in.Count()}, in, err
}

func statusOf(a *cli.App, s *handoff.Store, me string) (Status, error) {
	st, in, err := unreadStatus(s, me)
	if err != nil {
		return st, err
	}
	find := func(f handoff.Filter) (found []handoff.Entry) {
		if me != "" && err == nil {
			found, err = s.List(f)
		}
		return handoff.NewestFirst(found)
	}
	if me == "" {
		in.Newest = nil
	}
	st.ToMe = listed(a, s, handoff.NewestFirst(in.Newest))
	st.Taken = taken(s, s.Lifecycle().Holdings(me))
	sent := find(handoff.Filter{From: me, Unread: true})
	st.Sent = listed(a, s, slices.DeleteFunc(sent, func(e handoff.Entry) bool { return e.IsTo(me) }))
	st.News = newsOf(a, s, me)
	return st, err
}

// listed returns the handoffs of a section. For people, those that they do not see stay empty: each needs its document.
func listed(a *cli.App, s *handoff.Store, entries []handoff.Entry) []handoff.Listed {
	all := make([]handoff.Listed, len(entries))
	if !a.JSON {
		entries = entries[:min(len(entries), maxRows)]
	}
	copy(all, s.Listed(entries))
	return all
}

// taken returns handoffs that an operator holds, the newest take first.
func taken(s *handoff.Store, all []handoff.Holding) []news {
	found := make([]news, len(all))
	for i, h := range all {
		found[len(all)-1-i] = news{Listed: s.ListedOne(h.Entry), By: h.Take.Operator, When: h.Take.Time,
			Act: handoff.ActTake, Until: h.Take.Until}
	}
	return found
}

// newsOf returns what others did with handoffs of an operator in the time newsFor, newest first.
func newsOf(a *cli.App, s *handoff.Store, me string) []news {
	found := []news{}
	if me != "" {
		for _, e := range s.Lifecycle().Endings(me, a.SessionID(), newsFor) {
			found = append(found, news{Listed: s.ListedOne(e.Entry), By: e.By, When: e.Time, Act: e.Act,
				Note: e.Note})
		}
	}
	slices.Reverse(found)
	return found
}

const (
	maxRows = 5  // handoffs in each section of status
	maxNote = 40 // columns of a note
)

// leaseLeft returns what is left of a lease.
func leaseLeft(a *cli.App, until string) string {
	switch end := timeOf(until); {
	case until == "":
		return ""
	case end.Before(a.Now()):
		return ", lease over"
	default:
		return ", " + handoff.Rough(end.Sub(a.Now())) + " left"
	}
}

// statusText returns a status for people.
func statusText(a *cli.App, root string, st Status) string {
	if st.Operator == "" {
		return handoff.Count(st.Unread, "handoff") +
			" unread for all; I don't know who you are: run `handoff init`, or set HANDOFF_OPERATOR\n"
	}
	from := func(l handoff.Listed) (handoff.Listed, string, string) { return l, l.From, a.When(l.Time) }
	to := func(l handoff.Listed) (handoff.Listed, string, string) { return l, l.To, a.When(l.Time) }
	held := func(n news) (handoff.Listed, string, string) {
		return n.Listed, n.From, "took " + a.When(n.When) + leaseLeft(a, n.Until)
	}
	did := func(n news) (handoff.Listed, string, string) { return n.Listed, n.By, did(a, n) }
	sections := section(a, "To you, unread", "handoff list --unread --mine", st.ToMe, from) +
		section(a, "Taken by you", "handoff list --state taken", st.Taken, held) +
		section(a, "Sent and not read", "handoff list --unread --from "+st.Operator, st.Sent, to) +
		section(a, "News since yesterday", "handoff list --from "+st.Operator, st.News, did)
	if st.Unread == 0 && sections == "" {
		sections = "Nothing waits for you, and nothing of yours waits for others.\n"
	}
	return a.Styled(cli.Bold, st.Operator) + " in " + handoff.EscapeLine(filepath.Base(root)) + "\n" + sections
}

// section returns the first rows of a section, and the command that lists the others. parts returns who and when of a
// row.
func section[T any](a *cli.App, title, rest string, all []T,
	parts func(T) (l handoff.Listed, who, when string)) string {
	if len(all) == 0 {
		return ""
	}
	rows := make([][]string, min(len(all), maxRows))
	for i := range rows {
		l, who, when := parts(all[i])
		rows[i] = []string{a.StateSign(l.State) + " " + l.Title, who, when, cli.Short(l.ID, cli.Shortest)}
	}
	text := "\n" + a.Styled(cli.Bold, fmt.Sprintf("%s: %d", title, len(all))) + "\n" + statusTable(a, rows)
	if more := len(all) - maxRows; more > 0 {
		text += fmt.Sprintf("  and %d more: %s\n", more, rest)
	}
	return text
}

// did returns what another operator did, when, and the note that they left.
func did(a *cli.App, n news) string {
	what := n.Act.Participle() + " " + a.When(n.When)
	if n.Act == handoff.ActTake {
		what = "took " + a.When(n.When)
	}
	if n.Note != "" {
		what += ": " + handoff.Cut(n.Note, maxNote)
	}
	return what
}

// statusTable returns rows as a table that fits the terminal.
func statusTable(a *cli.App, rows [][]string) string {
	widest, width := 0, cli.TerminalWidth(a.Stdout)
	for _, row := range rows {
		widest = max(widest, handoff.Width(strings.Join(row[1:], "  ")))
	}
	for i := range rows {
		if width > 0 {
			rows[i][0] = handoff.Cut(rows[i][0], max(20, width-widest-len("    ")))
		}
		rows[i][0] = "  " + rows[i][0]
	}
	return handoff.Table(width, rows[0], rows[1:])
}

func timeOf(ts string) time.Time {
	at, _ := time.Parse(time.RFC3339, ts)
	return at
}

// shortStatus prints the counts. It prints nothing if all are 0, and no errors: they would spoil a prompt.
func shortStatus(a *cli.App) {
	a.Quiet = true
	p, s, err := a.ProjectStore()
	if err != nil {
		return
	}
	me := p.MeOr(a.Who.Operator)
	st, _, err := unreadStatus(s, me)
	if err != nil {
		return
	}
	var parts []string
	add := func(state handoff.State, n int) {
		if sign := a.StateSign(state); n > 0 && a.HasSigns() {
			parts = append(parts, fmt.Sprint(sign, n))
		} else if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", state))
		}
	}
	add(handoff.StateUnread, st.Unread)
	add(handoff.StateTaken, len(s.Lifecycle().Holdings(me)))
	if len(parts) > 0 {
		fmt.Fprintln(a.Stdout, strings.Join(parts, map[bool]string{true: " ", false: ", "}[a.HasSigns()]))
	}
}
