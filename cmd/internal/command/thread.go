package command

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

func threadCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "thread ID",
		Short: "Show a handoff with its replies and successors",
		Long: `Show the handoffs that are connected by replies (re:) and successors
(supersedes:), oldest first, each below the handoff that it names. Only the
sender or recipient of a handoff can supersede it; other attempts are shown as
claims. If two handoffs supersede the same one, both are current. For a handoff
that is not stored here you see its id alone.`,
		Example:           `  handoff thread 134327a8`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return thread(a, args) },
	}
	a.Paged(cmd)
	return cmd
}

func thread(a *cli.App, ids []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	t, err := s.Thread(ids[0])
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.PrintJSON(t)
	}
	return a.Print(t.List(cli.TerminalWidth(a.Stdout), a.When))
}
