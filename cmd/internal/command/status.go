package command

import (
	"cmp"
	"fmt"
	"os"
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
	Operator  string         `json:"operator,omitempty"`
	Next      string         `json:"next,omitempty"` // the command to run next
	Unread    int            `json:"unread"`
	ToMe      []item         `json:"to_me"`
	ToNext    []item         `json:"to_next"`
	OwnToNext []item         `json:"own_to_next"` // what the operator wrote
	Read      []item         `json:"read"`        // to the operator, and not taken or done
	Taken     []item         `json:"taken"`
	Sent      []item         `json:"sent_unread"`
	News      []item         `json:"news"`      // what others have finished, or taken from the operator
	Withdrawn []item         `json:"withdrawn"` // that were not shown before
	Unsent    int            `json:"unsent"`    // events that the remote does not have
	Held      []handoff.Held `json:"held"`      // received, and not stored yet

	SyncFailed string `json:"sync_failed,omitempty"` // why the last sync in the background failed
}

// An item is a handoff of a status, with what happened to it.
type item struct {
	handoff.Entry
	By    string      `json:"by,omitempty"`
	When  string      `json:"when_utc,omitempty"`
	Act   handoff.Act `json:"act,omitempty"`
	Note  string      `json:"note,omitempty"`
	Until string      `json:"until_utc,omitempty"` // the end of the lease of a take

	Session string `json:"session_id,omitempty"` // that took it
}

const (
	newsFor      = 24 * time.Hour     // how long a done of another operator is shown
	withdrawnFor = 7 * 24 * time.Hour // how long a withdrawn handoff is, unless it was shown
	maxRows      = 5                  // handoffs in each section
	maxNote      = 40                 // columns of a note
)

func statusCommand(a *cli.App) *cobra.Command {
	var short bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what waits for you, and what you wait for",
		Long: `Show what waits for you, and first what to do next: unread handoffs, handoffs
that you hold, what you sent and is not read, what others finished since
yesterday, what was withdrawn, and what is not synced.

--short prints only the counts, for a prompt. If nothing waits, or there is no
project, it prints nothing. Its exit code is always 0.`,
		Example: `  handoff status
  PS1='$(handoff status --short)$ '`,
		RunE: func(_ *cobra.Command, _ []string) error {
			if short && !a.JSON {
				shortStatus(a)
				return nil
			}
			return status(a)
		},
	}
	cmd.Flags().BoolVar(&short, "short", false, "print only the counts, for a prompt")
	return cmd
}

func status(a *cli.App) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	a.NoteSlips(s, a.Who.Operator)
	st, err := statusOf(a, p, s, p.MeOr(a.Who.Operator))
	if err != nil {
		return err
	}
	return a.Show(st, st.text(a, filepath.Base(p.Root)))
}

func statusOf(a *cli.App, p handoff.Project, s *handoff.Store, me string) (st Status, err error) {
	in, err := s.Waiting(me, 0)
	st = Status{Operator: me, Unread: in.Count(), Read: []item{}, Taken: []item{}, News: []item{}, Withdrawn: []item{},
		Held: []handoff.Held{}}
	var sent []handoff.Entry
	if me == "" {
		in.Newest = nil
	} else if err == nil {
		sent, err = s.List(handoff.Filter{From: me, Unread: true})
	}
	if err != nil {
		return st, err
	}
	st.addUnread(a, s, in.Newest, sent)
	for _, h := range slices.Backward(s.Lifecycle().Holdings(me)) {
		st.Taken = append(st.Taken, item{s.ListedOne(h.Entry), me, h.Take.Time, handoff.ActTake, "", h.Take.Until,
			h.Take.Session})
	}
	if me != "" {
		read, err := s.List(handoff.Filter{To: me, State: handoff.StateRead})
		if err != nil {
			return st, err
		}
		st.Read = items(a, s, read, func(e handoff.Entry) bool { return !e.UnreadBy(me) })
		st.addNews(a, s)
	}
	if err = st.addSync(s); err != nil {
		return st, err
	}
	switch mine := a.Held(s, me, a.SessionID()); {
	case len(mine) > 0:
		st.Next = "handoff done " + cli.Short(mine[0].ID, cli.Shortest)
	case st.Unread > 0, len(st.Read) > 0:
		st.Next = "handoff take"
	case st.Unsent > 0, isUnsynced(p, s):
		st.Next = "handoff sync"
	}
	return st, err
}

// addSync adds what sync has not sent or stored, and why the last one in the background failed.
func (st *Status) addSync(s *handoff.Store) (err error) {
	if st.Unsent, err = s.Unsent(); err != nil {
		return err
	}
	held, err := s.Held()
	st.Held = append(st.Held, held...)
	if own := s.OwnPath(); own != "" {
		failure, _ := os.ReadFile(filepath.Join(own, lastSync)) // there is none before the first sync
		st.SyncFailed = string(failure)
	}
	return err
}

// addUnread adds the unread handoffs to the operator, and those that the operator has sent.
func (st *Status) addUnread(a *cli.App, s *handoff.Store, unread, sent []handoff.Entry) {
	me, isToNext := st.Operator, func(e handoff.Entry) bool { return e.To == handoff.Next }
	st.ToMe = items(a, s, unread, func(e handoff.Entry) bool { return !isToNext(e) })
	st.ToNext = items(a, s, unread, func(e handoff.Entry) bool { return isToNext(e) && e.From != me })
	st.OwnToNext = items(a, s, unread, func(e handoff.Entry) bool { return isToNext(e) && e.From == me })
	st.Sent = items(a, s, sent, func(e handoff.Entry) bool { return !e.IsTo(me) })
}

// items returns the entries that fit, and notes that they are shown. For people, those that they do not see stay empty:
// each needs its document.
func items(a *cli.App, s *handoff.Store, entries []handoff.Entry, fits func(handoff.Entry) bool) []item {
	entries = slices.DeleteFunc(handoff.NewestFirst(entries), func(e handoff.Entry) bool { return !fits(e) })
	all := make([]item, len(entries))
	if !a.JSON {
		entries = entries[:min(len(entries), maxRows)]
	}
	for i, l := range s.Listed(entries) {
		all[i].Entry = l
	}
	slices.Reverse(entries)
	noteShown(s, entries)
	return all
}

// addNews adds what others did. A withdrawn handoff is shown once.
func (st *Status) addNews(a *cli.App, s *handoff.Store) {
	seen := s.Seen()
	for _, e := range slices.Backward(s.Lifecycle().Endings(st.Operator, a.SessionID(), withdrawnFor)) {
		at, _ := time.Parse(time.RFC3339, e.Time)
		word := "w" + cli.Short(e.Entry.ID, 64)
		switch n := (item{s.ListedOne(e.Entry), e.By, e.Time, e.Act, e.Note, "", ""}); {
		case e.Act != handoff.ActWithdraw && a.Now().Sub(at) < newsFor:
			st.News = append(st.News, n)
		case e.Act == handoff.ActWithdraw && !seen.Has(word):
			st.Withdrawn = append(st.Withdrawn, n)
			seen.Add(word)
		}
	}
}

// text returns a status for people.
func (st *Status) text(a *cli.App, project string) string {
	if st.Operator == "" {
		return handoff.Count(st.Unread, "handoff") + " unread for all; I don't know who you are: run " +
			"`handoff init --operator NAME`\n"
	}
	text := "Nothing waits for you.\n"
	if st.Next != "" {
		text = "Next: " + st.Next + "\n"
	}
	text += a.Styled(cli.Bold, st.Operator) + " in " + handoff.EscapeLine(project) + "\n"
	for _, section := range []struct {
		title, rest string
		items       []item
	}{
		{"To you, unread", "--unread --mine", st.ToMe},
		{"To next", "--unread --to next", st.ToNext},
		{"To next, from you", "--unread --to next", st.OwnToNext},
		{"To you, read", "--state read --mine", st.Read},
		{"Taken by you", "--state taken", st.Taken},
		{"Sent and not read", "--unread --from " + st.Operator, st.Sent},
		{"News since yesterday", "--from " + st.Operator, st.News},
		{"Withdrawn", "--state withdrawn", st.Withdrawn},
	} {
		if len(section.items) > 0 {
			text += "\n" + a.Styled(cli.Bold, fmt.Sprintf("%s: %d", section.title, len(section.items))) + "\n" +
				st.table(a, section.items[:min(len(section.items), maxRows)])
		}
		if more := len(section.items) - maxRows; more > 0 {
			text += fmt.Sprintf("  and %d more: handoff list %s\n", more, section.rest)
		}
	}
	if st.Unsent > 0 {
		text += "\n" + a.Styled(cli.Bold, fmt.Sprintf("Not synced: %d", st.Unsent)) + "\n"
	} else if st.Next == "handoff sync" {
		text += "\n" + a.Styled(cli.Bold, "This clone has never synced") + "\n"
	}
	if st.SyncFailed != "" {
		text += "\nThe last sync failed: " + handoff.EscapeLine(st.SyncFailed) + "\n"
	}
	if len(st.Held) > 0 {
		text += "\n" + heldText(a, st.Held)
	}
	return text
}

// table returns items as a table that fits the terminal.
func (st *Status) table(a *cli.App, items []item) string {
	rows := make([][]string, len(items))
	widest, width := 0, cli.TerminalWidth(a.Stdout)
	for i, n := range items {
		who := n.From
		if n.By != "" && n.By != st.Operator {
			who = n.By
		} else if who == st.Operator {
			who = n.To
		}
		rows[i] = []string{"  " + a.StateSign(n.State) + " " + n.Title, who, n.when(a), cli.Short(n.ID, cli.Shortest)}
		widest = max(widest, handoff.Width(strings.Join(rows[i][1:], "  ")))
	}
	for _, row := range rows {
		if width > 0 {
			row[0] = handoff.Cut(row[0], max(20, width-widest-len("  ")))
		}
	}
	return handoff.Table(width, rows[0], rows[1:])
}

// when returns the time of an item, or what happened to it and when, what is left of a lease, and the note.
func (n item) when(a *cli.App) string {
	if n.Act == "" {
		return a.When(n.Time)
	}
	what := cmp.Or(doing[n.Act].word, string(n.Act)) + " " + a.When(n.When)
	if n.Session != a.SessionID() && n.Session != "" {
		what += " in session " + handoff.Cut(n.Session, 12)
	}
	if end, err := time.Parse(time.RFC3339, n.Until); err == nil {
		left := end.Sub(a.Now())
		what += map[bool]string{true: ", " + handoff.Rough(left) + " left", false: ", lease over"}[left > 0]
	}
	if n.Note != "" {
		what += ": " + handoff.Cut(n.Note, maxNote)
	}
	return what
}

// shortStatus prints the counts. It prints nothing if all are 0, and no errors: they would spoil a prompt.
func shortStatus(a *cli.App) {
	a.Quiet = true
	p, s, err := a.ProjectStore()
	if err != nil {
		return
	}
	me := p.MeOr(a.Who.Operator)
	in, err := s.Waiting(me, 0)
	if err != nil {
		return
	}
	var parts []string
	if n := in.Count(); n > 0 {
		parts = append(parts, fmt.Sprint(n, " unread"))
	}
	if n := len(s.Lifecycle().Holdings(me)); n > 0 {
		parts = append(parts, fmt.Sprint(n, " taken"))
	}
	if len(parts) > 0 {
		fmt.Fprintln(a.Stdout, strings.Join(parts, ", "))
	}
}
