package read

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Status is what waits for an operator, and what of theirs waits for others. Lists have the newest first.
type Status struct {
	Operator string           `json:"operator,omitempty"`
	Unread   int              `json:"unread"`
	Newest   string           `json:"newest,omitempty"` // ts_utc of the newest that is unread
	For      map[string]int   `json:"for,omitempty"`    // unread by recipient, if the operator is not known
	ToMe     []handoff.Listed `json:"to_me"`
	Taken    []news           `json:"taken"`
	Sent     []handoff.Listed `json:"sent_unread"`
	Awaiting []handoff.Listed `json:"awaiting"` // handoffs that the operator can approve
	News     []news           `json:"news"`     // sent handoffs that others have taken or finished
	Exchange *exchange.Status `json:"exchange,omitempty"`
	Drafts   int              `json:"drafts"` // of sessions that ended
}

// A news is a handoff that another operator has taken or finished.
type news struct {
	handoff.Listed
	By   string `json:"by"`
	When string `json:"when_utc"`
}

// newsFor is how long a take or done of another operator is shown.
const newsFor = 24 * time.Hour

func statusCommand(a *app) *cobra.Command {
	var short bool
	var operator string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what waits for you, and what of yours waits for others",
		Long: `Show what waits for you: unread handoffs, handoffs that you have taken, and
handoffs that you can approve. You also see what you sent and is not read, what
others took or finished since yesterday, and what is not synced.

--short prints only the counts, for a prompt. If nothing waits, or there is no
project, it prints nothing. Its exit code is always 0.`,
		Example: "  handoff status\n  PS1='$(handoff status --short)$ '",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if short {
				a.shortStatus(operator)
				return nil
			}
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			a.NoteSlips(s, operator)
			st, err := a.status(p, s, cmp.Or(operator, p.Me()))
			if err != nil {
				return err
			}
			return a.Show(st, a.statusText(p, s, st))
		},
	}
	cmd.Flags().BoolVar(&short, "short", false, "print only the counts, for a prompt")
	a.OperatorFlag(cmd, &operator)
	return cmd
}

// unreadStatus returns how many handoffs are unread.
func unreadStatus(s *handoff.Store, me string) (Status, handoff.Inbox, error) {
	in, err := s.Waiting(me, 0)
	st := Status{Operator: me, Unread: in.Count()}
	if n := len(in.Newest); n > 0 {
		st.Newest = in.Newest[n-1].Time
	}
	if me == "" {
		st.For = in.For
	}
	return st, in, err
}

func (a *app) status(p handoff.Project, s *handoff.Store, me string) (Status, error) {
	st, in, err := unreadStatus(s, me)
	if err != nil {
		return st, err
	}
	list := func(f handoff.Filter, keep func(handoff.Entry) bool) []handoff.Listed {
		if me == "" || err != nil {
			return []handoff.Listed{}
		}
		var found []handoff.Entry
		found, err = s.List(f)
		return s.Listed(handoff.NewestFirst(slices.DeleteFunc(found, func(e handoff.Entry) bool { return !keep(e) })))
	}
	all := func(handoff.Entry) bool { return true }
	byMe := func(e handoff.Entry) bool { return s.Lifecycle().Of(e.ID).Take.Holds().Operator == me }
	st.ToMe = []handoff.Listed{}
	if me != "" {
		st.ToMe = s.Listed(handoff.NewestFirst(in.Newest))
	}
	st.Taken = a.newsOf(s, list(handoff.Filter{State: handoff.StateTaken}, byMe))
	st.Sent = list(handoff.Filter{From: me, Unread: true}, func(e handoff.Entry) bool { return !e.IsTo(me) })
	st.Awaiting = list(handoff.Filter{State: handoff.StateAwaiting}, func(e handoff.Entry) bool {
		policy, err := s.Registry().Policy()
		return err == nil && policy != nil && e.From != me && policy.Can(me, "approve", a.Now())
	})
	for _, state := range []handoff.State{handoff.StateDone, handoff.StateTaken} {
		for _, n := range a.newsOf(s, list(handoff.Filter{From: me, State: state}, all)) {
			if at, err := time.Parse(time.RFC3339, n.When); err == nil && n.By != me && a.Now().Sub(at) < newsFor {
				st.News = append(st.News, n)
			}
		}
	}
	st.News = append([]news{}, st.News...)
	slices.SortStableFunc(st.News, func(a, b news) int { return cmp.Compare(b.When, a.When) })
	if drafts, err := s.Sessions().Drafts(); err == nil {
		st.Drafts = len(drafts)
	}
	if p.Options.Git.IsShared() {
		if at, err := exchange.ReadStatus(s); err == nil {
			st.Exchange = &at
		}
	}
	return st, err
}

// newsOf returns the operators who have taken or finished the handoffs, and when.
func (a *app) newsOf(s *handoff.Store, all []handoff.Listed) []news {
	found := make([]news, len(all))
	lives := s.Lifecycle().Lives()
	for i, l := range all {
		life := lives(l.ID)
		by := life.Take.Holds()
		if life.Done.IsDone() {
			by = life.Done
		}
		found[i] = news{l, by.Operator, by.Time}
	}
	return found
}

// maxRows is how many handoffs status shows in each section.
const maxRows = 5

// statusText returns a status for people.
func (a *app) statusText(p handoff.Project, s *handoff.Store, st Status) string {
	if st.Operator == "" {
		line := handoff.Count(st.Unread, "handoff") + " unread for all"
		if at, err := time.Parse(time.RFC3339, st.Newest); err == nil {
			line += ", the newest " + handoff.Ago(at, a.Now())
		}
		return line + "; I don't know who you are: run `handoff init`, or set HANDOFF_OPERATOR\n"
	}
	var b strings.Builder
	b.WriteString(a.Styled(cli.Bold, st.Operator) + " in " + handoff.EscapeLine(filepath.Base(p.Root)) + "\n")
	section := func(title, rest string, n int, row func(i int) []string) {
		if n == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n", a.Styled(cli.Bold, fmt.Sprintf("%s: %d", title, n)))
		b.WriteString(a.statusRows(min(n, maxRows), row))
		if n > maxRows {
			fmt.Fprintf(&b, "  and %d more: %s\n", n-maxRows, rest)
		}
	}
	ago := func(ts string) string { return handoff.Ago(timeOf(ts), a.Now()) }
	row := func(l handoff.Listed, who, when string) []string {
		return []string{a.StateSign(l.State) + " " + l.Title, who, when, cli.Short(l.ID, cli.Shortest)}
	}
	section("To you, unread", "handoff list --unread --mine", len(st.ToMe), func(i int) []string {
		return row(st.ToMe[i], st.ToMe[i].From, ago(st.ToMe[i].Time))
	})
	section("Taken by you", "handoff list --state taken", len(st.Taken), func(i int) []string {
		return row(st.Taken[i].Listed, st.Taken[i].From, "took "+ago(st.Taken[i].When))
	})
	section("Sent and not read", "handoff list --unread --from "+st.Operator, len(st.Sent), func(i int) []string {
		return row(st.Sent[i], st.Sent[i].To, ago(st.Sent[i].Time))
	})
	section("Awaiting your approval", "handoff list --state awaiting", len(st.Awaiting), func(i int) []string {
		return row(st.Awaiting[i], st.Awaiting[i].From, ago(st.Awaiting[i].Time))
	})
	section("News since yesterday", "handoff list --from "+st.Operator, len(st.News), func(i int) []string {
		did := map[bool]string{true: "done ", false: "took "}[st.News[i].State == handoff.StateDone]
		return row(st.News[i].Listed, st.News[i].By, did+ago(st.News[i].When))
	})
	if st.Unread+len(st.Taken)+len(st.Sent)+len(st.Awaiting)+len(st.News) == 0 {
		b.WriteString("Nothing waits for you, and nothing of yours waits for others.\n")
	}
	rest := []string{}
	if status := cli.SyncStatus(p, s, false); status != "" {
		rest = append(rest, status)
	}
	if st.Drafts > 0 {
		rest = append(rest, handoff.Count(st.Drafts, "draft")+" of sessions that ended: run `handoff draft list`")
	}
	if len(rest) > 0 {
		b.WriteString("\n" + strings.Join(rest, "\n") + "\n")
	}
	return b.String()
}

// statusRows returns rows as a table that fits the terminal.
func (a *app) statusRows(n int, row func(i int) []string) string {
	rows := make([][]string, n)
	widest, width := 0, cli.TerminalWidth(a.Stdout)
	for i := range rows {
		rows[i] = row(i)
		widest = max(widest, handoff.Width(strings.Join(rows[i][1:], "  ")))
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
func (a *app) shortStatus(operator string) {
	a.Quiet = true
	p, s, err := a.ProjectStore()
	if err != nil {
		return
	}
	me := cmp.Or(operator, p.Me())
	st, _, err := unreadStatus(s, me)
	if err != nil {
		return
	}
	counts := []struct {
		state handoff.State
		n     int
	}{{handoff.StateUnread, st.Unread}, {handoff.StateTaken, 0}}
	if me != "" {
		if taken, err := s.List(handoff.Filter{State: handoff.StateTaken}); err == nil {
			for _, e := range taken {
				if s.Lifecycle().Of(e.ID).Take.Holds().Operator == me {
					counts[1].n++
				}
			}
		}
	}
	var parts []string
	for _, c := range counts {
		if sign := a.StateSign(c.state); c.n > 0 && a.HasSigns() {
			parts = append(parts, fmt.Sprint(sign, c.n))
		} else if c.n > 0 {
			parts = append(parts, fmt.Sprint(c.n, " ", c.state))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(a.Stdout, strings.Join(parts, map[bool]string{true: " ", false: ", "}[a.HasSigns()]))
	}
}

// QuickStatus runs `handoff status --short` and reports whether that is the command line. It does without cobra, which
// would delay the prompt.
func QuickStatus(run *cli.App) bool {
	a := &app{run}
	if strings.Join(a.Args, " ") != "status --short" {
		return false
	}
	a.shortStatus("")
	return true
}
