package command

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func logCommand(a *cli.App) *cobra.Command {
	var isHead, isFramed bool
	cmd := &cobra.Command{
		Use:   "log ID | --head",
		Short: "Show what happened to a handoff",
		Long: `Show the thread of a handoff, each reply and successor below the handoff that it
names, and then what happened to the handoff: who wrote, read, took, answered
or finished it, and when. The handoff itself has a * in the thread. A handoff
that is not stored here shows its id alone.

--head prints COUNT:HASH of the whole log. Keep it elsewhere:
` + "`handoff verify --log --expect COUNT:HASH`" + ` finds out whether the end of the
log was cut, or the log was rewritten.`,
		Example: `  handoff log 134327a8
  handoff log --head >head.txt`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, ids []string) error {
			switch {
			case isHead == (len(ids) > 0):
				return cli.Invalid("use `handoff log ID` or `handoff log --head`", "log needs ID or --head")
			case isHead:
				return auditHead(a)
			}
			return history(a, ids[0], isFramed)
		},
	}
	cmd.Flags().BoolVar(&isHead, "head", false, "print COUNT:HASH of the whole log")
	cmd.Flags().BoolVar(&isFramed, "agent", false, "print it framed, for an agent")
	a.Paged(cmd)
	return cmd
}

// A headed is the head of the log, and its form for --expect.
type headed struct {
	handoff.Head
	Text string `json:"head"`
}

func auditHead(a *cli.App) error {
	cli.CollectOften()
	s, err := a.Store()
	if err != nil {
		return err
	}
	head, err := s.AuditLog().Head(context.Background())
	if err != nil {
		return err
	}
	return a.Show(headed{head, head.String()}, head.String()+"\n")
}

// history prints the thread and the events of a handoff, for an agent in a frame: titles and notes are text from
// others.
func history(a *cli.App, id string, isFramed bool) error {
	a.ForAgents = isFramed
	s, err := a.Store()
	if err != nil {
		return err
	}
	e, all, err := s.History(id)
	if err != nil {
		return err
	}
	if a.JSON {
		lines := make([]historyLine, len(all))
		for i, h := range all {
			lines[i] = historyLine{e.ID, h}
		}
		return cli.JSONLines(a, lines)
	}
	t, err := s.Thread(e.ID)
	if err != nil {
		return err
	}
	text := ""
	if len(t) > 1 {
		text = threadTable(a, e.ID, t) + "\n"
	}
	rows := make([][]string, len(all))
	for i, h := range all {
		rows[i] = []string{a.When(h.Time), h.What, h.Operator, historyDetails(h)}
	}
	text += a.Table("TIME EVENT OPERATOR DETAILS", rows)
	if !isFramed {
		return a.Print(text)
	}
	return a.ShowFramed(e.ID, handoff.Stored{Document: handoff.Document{Body: text}, Entry: e, Path: "log"},
		handoff.Frame{Whole: handoff.MaxForAgents})
}

// deepest is the number of indented levels of a thread. Deeper replies are not indented further.
const deepest = 4

// threadTable returns a thread as a nested list, with a sign at the handoff that was asked for.
func threadTable(a *cli.App, asked string, thread []handoff.Threaded) string {
	rows := make([][]string, len(thread))
	for i, t := range thread {
		sign := map[bool]string{true: " *"}[t.ID == asked]
		title, state := strings.Repeat("  ", min(t.Depth, deepest))+t.Title, cmp.Or(string(t.State), "not here")
		if len(t.Supersedes)+len(t.Claims) > 0 || len(t.Re) > 1 {
			title += " (" + names(t) + ")"
		}
		rows[i] = []string{cli.Short(t.ID, cli.Shortest) + sign, a.When(t.Time), t.From, t.To, state, title}
	}
	return a.Table("ID TIME FROM TO STATE TITLE", rows)
}

// names returns how a handoff relates to those that it names.
func names(t handoff.Threaded) string {
	short := func(ids []string) (all []string) {
		for _, id := range ids {
			all = append(all, cli.Short(id, cli.Shortest))
		}
		return all
	}
	var parts []string
	for _, list := range []struct {
		word string
		ids  []string
	}{{"answers ", t.Re}, {"supersedes ", t.Supersedes}, {"claims to supersede ", t.Claims}} {
		if len(list.ids) > 0 {
			parts = append(parts, list.word+fault.Some(short(list.ids)))
		}
	}
	return strings.Join(parts, ", ")
}

// A historyLine is an event with the id of its handoff.
type historyLine struct {
	ID string `json:"handoff_id"`
	handoff.HistoryEvent
}

// historyDetails returns the details of an event.
func historyDetails(h handoff.HistoryEvent) string {
	details := []string{h.By, h.Session, h.Note, h.Effect}
	if h.By != "" {
		details[0] = "by " + cli.Short(h.By, cli.Shortest)
	}
	if h.Session != "" {
		details[1] = "session " + h.Session
	}
	return strings.Join(slices.DeleteFunc(details, func(part string) bool { return part == "" }), ", ")
}
