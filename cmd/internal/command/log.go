package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type logFlags struct {
	Head bool
}

func logCommand(a *cli.App) *cobra.Command {
	f := &logFlags{}
	cmd := &cobra.Command{
		Use:   "log ID | --head",
		Short: "Show what happened to a handoff",
		Long: `Show what happened to a handoff, oldest first: who wrote, read, took, answered
or finished it, and when. The source is the audit log.

--head prints COUNT:HASH of the whole log. Keep it elsewhere:
` + "`handoff verify --log --expect COUNT:HASH`" + ` finds out whether the end of the
log was cut, or the log was rewritten.`,
		Example: `  handoff log 134327a8
  handoff log --head >head.txt`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return log(a, f, args) },
	}
	cmd.Flags().BoolVar(&f.Head, "head", false, "print COUNT:HASH of the whole log")
	a.Paged(cmd)
	return cmd
}

func log(a *cli.App, f *logFlags, ids []string) error {
	switch {
	case len(ids) == 0 && f.Head:
		return auditHead(a)
	case len(ids) == 1 && !f.Head:
		return history(a, ids[0])
	}
	return cli.Invalid("use `handoff log ID` or `handoff log --head`", "log needs ID or --head")
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

// history prints the events of a handoff.
func history(a *cli.App, id string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	e, all, err := s.History(id)
	if err != nil {
		return err
	}
	return cli.Lines(a, historyLines(e.ID, all), func() string {
		rows := make([][]string, len(all))
		for i, h := range all {
			rows[i] = []string{a.When(h.Time), h.What, h.Operator, strings.Join(historyDetails(h), ", ")}
		}
		return a.Table("TIME EVENT OPERATOR DETAILS", rows)
	})
}

// A historyLine is an event with the id of its handoff.
type historyLine struct {
	ID string `json:"handoff_id"`
	handoff.HistoryEvent
}

func historyLines(id string, all []handoff.HistoryEvent) []historyLine {
	lines := make([]historyLine, len(all))
	for i, h := range all {
		lines[i] = historyLine{id, h}
	}
	return lines
}

// historyDetails returns the details of an event.
func historyDetails(h handoff.HistoryEvent) (all []string) {
	if h.By != "" {
		all = append(all, "by "+cli.Short(h.By, 8))
	}
	if h.Session != "" {
		all = append(all, "session "+h.Session)
	}
	if h.Note != "" {
		all = append(all, h.Note)
	}
	return all
}
