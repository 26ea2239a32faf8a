package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type archiveFlags struct {
	*cli.Who
	Undo        bool
	Prune       bool
	ArchivedFor time.Duration
	Export      string
	Yes         bool
}

func archiveCommand(a *cli.App) *cobra.Command {
	f := &archiveFlags{Who: &a.Who, ArchivedFor: 90 * 24 * time.Hour}
	cmd := &cobra.Command{
		Use:   "archive ID… | --prune --export FILE",
		Short: "Hide handoffs; --undo shows them again",
		Long: `Hide handoffs: list and agents no longer show them. The files stay, and
list --all shows them.

The sender and the recipient can archive a handoff, and operators with the
capability archive in OPERATORS.md. Finish or give back a taken one first.

--undo shows the handoffs again; there @ is the one that you archived last.

--prune removes handoffs that were archived at least 90 days ago, here and not
in other clones. First it writes them to a new bundle, --export FILE; handoff
import brings them back.`,
		Example: `  handoff archive 134327a8 --operator ann
  handoff archive --undo 134327a8
  handoff archive --prune --export old.handoffs --yes`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if f.Prune {
				return prune(a, f, args)
			}
			return archive(a, f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Undo, "undo", false, "show archived handoffs again")
	flags.BoolVar(&f.Prune, "prune", false, "remove what was archived long ago")
	flags.Var(cli.Duration(&f.ArchivedFor), "archived-for", "with --prune: for how `long`")
	flags.StringVar(&f.Export, "export", "", "with --prune: the new `file` for the bundle")
	flags.BoolVar(&f.Yes, "yes", false, "with --prune: do not ask")
	cli.Conflicts(cmd, "undo", "prune")
	for _, name := range []string{"archived-for", "export", "yes"} {
		cli.Needs(cmd, name, "prune")
	}
	return cmd
}

// prune removes what was archived long ago, after it is in a bundle.
func prune(a *cli.App, f *archiveFlags, ids []string) error {
	switch {
	case len(ids) > 0:
		return cli.Invalid("remove the ids: it takes what was archived long ago", "--prune conflicts with ids")
	case f.Export == "":
		return cli.Invalid("add --export FILE", "--prune writes a bundle before it removes anything")
	case !f.Yes && (!a.CanAsk() || !a.Confirm("Remove what was archived long ago, after it is in "+f.Export+"?")):
		return cli.Invalid("answer y, or add --yes", "nothing was changed")
	}
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	operator, err := a.Acting(p, s, f.Operator)
	if err != nil {
		return err
	}
	pruned, err := s.Prune(context.Background(), operator, f.ArchivedFor, func(bundle []byte) error {
		return cli.WriteNew(f.Export, bundle)
	})
	if err != nil {
		return err
	}
	a.Committed()
	if len(pruned) == 0 {
		a.Note("nothing was archived that long ago")
		return nil
	}
	return a.Did(map[string]any{"file_path": f.Export, "handoffs": len(pruned)},
		handoff.Count(len(pruned), "handoff")+" removed; `handoff import "+f.Export+" --with-state` brings them back")
}

func archive(a *cli.App, f *archiveFlags, ids []string) error {
	if len(ids) == 0 && !f.Undo {
		return cli.Invalid("use `handoff archive ID`", "missing ID")
	}
	act := handoff.ActArchive
	if f.Undo {
		act = handoff.ActUnarchive
	}
	return perform(a, act, ids, handoff.Who{})
}
