package command

import (
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

// A statusOf is what waits for an operator, and what of theirs waits for others.
type statusOf struct {
	*cli.App
	project  handoff.Project
	store    *handoff.Store
	me       string
	json     map[string]any
	sections string // the text of those that have handoffs
}

// An item is a handoff of a status, with what happened to it.
type item struct {
	handoff.Entry
	By      string      `json:"by,omitempty"`
	When    string      `json:"when_utc,omitempty"`
	Act     handoff.Act `json:"act,omitempty"`
	Note    string      `json:"note,omitempty"`
	Until   string      `json:"until_utc,omitempty"`  // the end of the lease of a take
	Session string      `json:"session_id,omitempty"` // that took it
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
	st := &statusOf{App: a, project: p, store: s, me: p.MeOr(a.Who.Operator), json: map[string]any{}}
	next, err := st.fill()
	if err != nil {
		return err
	}
	text := "Nothing waits for you.\n"
	switch {
	case st.me == "":
		text = fmt.Sprintf("%s unread for all; I don't know who you are: run `handoff init --operator NAME`\n",
			handoff.Count(st.json["unread"].(int), "handoff"))
	case next != "":
		st.json["next"], text = next, "Next: "+next+"\n"
	}
	return a.Show(st.json, text+st.sections)
}

// fill collects the sections, and returns the command to run next.
func (st *statusOf) fill() (next string, err error) {
	waiting, err := st.addHandoffs()
	if err != nil {
		return "", err
	}
	st.addNews()
	unsent, err := st.addSync()
	switch mine := st.Held(st.store, st.me, st.SessionID()); {
	case len(mine) > 0:
		next = "handoff done " + cli.Short(mine[0].ID, cli.Shortest)
	case waiting > 0:
		next = "handoff take"
	case unsent > 0:
		next = "handoff sync"
	case isUnsynced(st.project, st.store):
		next = "handoff sync"
		st.section("This clone has never synced", "")
	}
	return next, err
}

// addHandoffs adds what is to the operator, what the operator has taken, and what others have not read. It returns the
// number of those that the operator can take.
func (st *statusOf) addHandoffs() (waiting int, err error) {
	s, me := st.store, st.me
	in, err := s.Waiting(me, 0)
	if err != nil {
		return 0, err
	}
	st.json["unread"] = in.Count()
	var sent, read []handoff.Entry
	if me == "" {
		in.Newest = nil
	} else {
		st.json["operator"] = me
		if sent, err = s.List(handoff.Filter{From: me, Unread: true}); err == nil {
			read, err = s.List(handoff.Filter{To: me, State: handoff.StateRead})
		}
	}
	isNext := func(e handoff.Entry) bool { return e.To == handoff.Next }
	st.list("to_me", "To you, unread", "--unread --mine", in.Newest,
		func(e handoff.Entry) bool { return !isNext(e) })
	st.list("to_next", "To next", "--unread --to next", in.Newest,
		func(e handoff.Entry) bool { return isNext(e) && e.From != me })
	st.list("own_to_next", "To next, from you", "--unread --to next", in.Newest,
		func(e handoff.Entry) bool { return isNext(e) && e.From == me })
	toRead := st.list("read", "To you, read", "--state read --mine", read,
		func(e handoff.Entry) bool { return !e.UnreadBy(me) })
	var taken []item
	for _, h := range slices.Backward(s.Lifecycle().Holdings(me)) {
		taken = append(taken, item{By: me, When: h.Take.Time, Act: handoff.ActTake, Until: h.Take.Until,
			Session: h.Take.Session, Entry: h.Entry})
	}
	st.add("taken", "Taken by you", "--state taken", taken)
	st.list("sent_unread", "Sent and not read", "--unread --from "+me, sent,
		func(e handoff.Entry) bool { return !e.IsTo(me) })
	return in.Count() + toRead, err
}

// list adds the entries that fit, newest first, and returns their number.
func (st *statusOf) list(key, title, flags string, entries []handoff.Entry, fits func(handoff.Entry) bool) int {
	var items []item
	for _, e := range handoff.NewestFirst(entries) {
		if fits(e) {
			items = append(items, item{Entry: e})
		}
	}
	st.add(key, title, flags, items)
	return len(items)
}

// add adds a section of handoffs, the newest first, and notes that they are shown. flags are those with which list
// shows all of them. For people, those that they do not see stay empty: each needs its document.
func (st *statusOf) add(key, title, flags string, items []item) {
	shown := items
	if !st.JSON {
		shown = items[:min(len(items), maxRows)]
	}
	entries, rows := make([]handoff.Entry, len(shown)), make([]row, len(shown))
	for i := range shown {
		entries[i] = shown[i].Entry
	}
	for i, l := range st.store.Listed(entries) {
		shown[i].Entry = l
		rows[i] = row{l, shown[i].when(st), ""}
	}
	slices.Reverse(entries)
	noteShown(st.store, entries)
	st.json[key] = append([]item{}, items...)
	if len(items) > 0 {
		st.section(fmt.Sprintf("%s: %d", title, len(items)), table(st.App, rows, false))
	}
	if more := len(items) - len(shown); more > 0 {
		st.sections += fmt.Sprintf("and %d more: handoff list %s\n", more, flags)
	}
}

// section adds the text of a section.
func (st *statusOf) section(title, text string) {
	st.sections += "\n" + st.Styled(cli.Bold, title) + "\n" + text
}

// addNews adds what others did. A withdrawn handoff is shown once.
func (st *statusOf) addNews() {
	seen := st.store.Seen()
	var news, withdrawn []item
	for _, e := range slices.Backward(st.store.Lifecycle().Endings(st.me, st.SessionID(), withdrawnFor)) {
		at, _ := time.Parse(time.RFC3339, e.Time)
		word := "w" + cli.Short(e.Entry.ID, 64)
		switch n := (item{By: e.By, When: e.Time, Act: e.Act, Note: e.Note, Entry: e.Entry}); {
		case e.Act != handoff.ActWithdraw && st.Now().Sub(at) < newsFor:
			news = append(news, n)
		case e.Act == handoff.ActWithdraw && !seen.Has(word):
			withdrawn = append(withdrawn, n)
			seen.Add(word)
		}
	}
	st.add("news", "News since yesterday", "--from "+st.me, news)
	st.add("withdrawn", "Withdrawn", "--state withdrawn", withdrawn)
}

// addSync adds what sync has not sent or stored, and why the last one in the background failed. It returns the number
// of unsent events.
func (st *statusOf) addSync() (unsent int, err error) {
	if unsent, err = st.store.Unsent(); err != nil {
		return 0, err
	}
	if st.json["unsent"] = unsent; unsent > 0 {
		st.section(fmt.Sprintf("Not synced: %d", unsent), "")
	}
	if own := st.store.OwnPath(); own != "" {
		failure, _ := os.ReadFile(filepath.Join(own, lastSync)) // empty before the first sync
		if len(failure) > 0 {
			st.json["sync_failed"] = string(failure)
			st.section("The last sync failed: "+handoff.EscapeLine(string(failure)), "")
		}
	}
	held, err := st.store.Held()
	st.json["held"] = append([]handoff.Held{}, held...)
	if len(held) > 0 {
		st.section(fmt.Sprintf("Held: %d", len(held)), heldLines(st.App, held))
	}
	return unsent, err
}

// when returns the time of an item, or what happened to it, by whom and when, what is left of a lease, and the note.
func (n item) when(st *statusOf) string {
	if n.Act == "" {
		return st.When(n.Time)
	}
	what := n.Act.Participle()
	if n.By != st.me {
		what += " by " + n.By
	}
	if n.Session != st.SessionID() && n.Session != "" {
		what += " in session " + handoff.Cut(n.Session, 12)
	}
	what += " " + st.When(n.When)
	if end, err := time.Parse(time.RFC3339, n.Until); err == nil {
		left := end.Sub(st.Now())
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
