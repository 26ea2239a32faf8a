package command

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func nextCommand(a *cli.App) *cobra.Command {
	var takes bool
	cmd := &cobra.Command{
		Use:   "next",
		Short: "Show the handoff that handoff take would take",
		Long: `Show the handoff that handoff take without ID would take, or nothing if nothing
waits for you. --take takes it.`,
		Example: `  handoff next
  handoff next --take`,
		RunE: func(_ *cobra.Command, _ []string) error {
			if takes {
				return take(a, takeFlags{}, nil)
			}
			return next(a)
		},
	}
	a.Session.Declare(cmd.Flags())
	cmd.Flags().BoolVar(&takes, "take", false, "take the handoff")
	return cmd
}

func next(a *cli.App) error {
	do, err := newActing(a, handoff.ActTake, handoff.Who{})
	if err != nil {
		return err
	}
	e, ok, err := do.store.Next(do.who, nil)
	if err != nil {
		return err
	}
	if do.noteHeld(""); !ok {
		do.noteNothing()
		return nil
	}
	if err := do.noteNewerFile(&handoff.ActReceipt{ID: e.ID}); err != nil {
		return err
	}
	return printList(a, do.store, []handoff.Entry{e}, formatOf(a, ""))
}
