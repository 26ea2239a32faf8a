package work

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type archiveFlags struct {
	*cli.Who
	Undo bool
}

func archiveCommand(a *cli.App) *cobra.Command {
	f := &archiveFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:   "archive ID…",
		Short: "Hide handoffs; --undo shows them again",
		Long: `Hide handoffs: list and session hooks no longer show them. The documents and
rows stay; list --all and list --state archived show them. The sender and the
recipient can archive a handoff, and operators with the capability archive in
OPERATORS.md. A handoff that is taken must be finished or released first.

--undo shows the handoffs again; there @ is the one that you archived last.`,
		Example: `  handoff archive 134327a8 --operator ann
  handoff archive --undo 134327a8`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return archive(a, f, args) },
	}
	flags := cmd.Flags()
	f.Who.Declare(flags)
	flags.BoolVar(&f.Undo, "undo", false, "show archived handoffs again")
	return cmd
}

func archive(a *cli.App, f *archiveFlags, ids []string) error {
	act := handoff.ActArchive
	if f.Undo {
		act = handoff.ActUnarchive
	}
	return perform(a, act, ids, handoff.Who{}, nil)
}
