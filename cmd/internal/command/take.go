package command

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeFlags struct {
	handoff.Who
	undo, steal bool
}

func takeCommand(a *cli.App) *cobra.Command {
	var f takeFlags
	cmd := &cobra.Command{
		Use:   "take [ID…]",
		Short: "Take a handoff, so that only you work on it",
		Long: `Take a handoff, so that only you work on it. Without ID, take the first that
waits for you: the oldest unread one, then the oldest that you have read and
that has no holder. @ is the one that you have read last.

If several people or sessions take it at once, one of them gets it, in all
clones that sync: the remote decides. It is then read. Finish it with
handoff done, give it back with --undo. Of several handoffs you get those that
you can have; the others are named.

The take of an agent session has a lease: 2 hours, or the setting lease. Once it
is over, or the session has died on this machine, the next take takes over.

Exit codes: 1 remote unreachable, 3 not allowed, 11 taken or done.`,
		Example: `  handoff take
  handoff take 134327a8 --for 2h
  handoff take --undo 134327a8`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if cmd.Flags().Changed("for") && f.For <= 0 {
				return cli.Invalid("use a duration such as 30m or 2h", "--for needs a duration longer than 0")
			}
			return take(a, f, ids)
		},
	}
	flags := cmd.Flags()
	a.Session.Declare(flags)
	flags.BoolVar(&f.undo, "undo", false, "give it back")
	flags.Var(cli.Duration(&f.For), "for", "hold it for this `duration` (a session: 2h; a person: no end)")
	flags.BoolVar(&f.ForOther, "for-other", false, "take what is to another operator")
	flags.BoolVar(&f.Anyway, "anyway", false, "take what is superseded, expired or archived")
	flags.BoolVar(&f.steal, "steal", false, "take it from its holder, at a terminal; needs --reason")
	flags.StringVar(&f.Reason, "reason", "", "with --steal: why (`text`); its holder can read it")
	flags.StringVar(&f.Reason, "note", "", "with --undo: why (`text`)")
	cli.Needs(cmd, "reason", "steal")
	cli.Needs(cmd, "note", "undo")
	for _, name := range []string{"for", "for-other", "anyway", "steal"} {
		cli.Conflicts(cmd, "undo", name)
	}
	return cmd
}

func take(a *cli.App, f takeFlags, ids []string) error {
	act := handoff.ActTake
	switch {
	case f.undo:
		return perform(a, handoff.ActRelease, ids, f.Who)
	case f.steal && strings.TrimSpace(f.Reason) == "":
		return cli.Invalid("add --reason TEXT", "--steal needs a reason: the holder will read it")
	case f.steal && (!a.CanAsk() || agent.Inside(a.Getenv) != ""):
		return fault.Denied(cmp.Or(a.Identity().Leak, "run it there, or wait until the lease is over"),
			"--steal needs a person at a terminal")
	case f.steal:
		act = handoff.ActSteal
	}
	do, err := newActing(a, act, f.Who, ids...)
	if err != nil {
		return err
	}
	if do.then = do.noteNewerFile; len(ids) > 0 || f.steal {
		err = do.all(ids)
	} else {
		err = do.first()
	}
	if err == nil && do.Options.Git == handoff.GitTracked && isUnsynced(do.Project, do.store) {
		do.Note("for this clone only: run `handoff sync`")
	}
	return err
}

// first takes the first handoff that waits, and shows it.
func (do *acting) first() error {
	got, ok, err := do.store.Lifecycle().TakeNext(context.Background(), do.who)
	if err != nil {
		return err
	}
	if do.noteHeld(got.ID); !ok {
		do.noteNothing()
		return nil
	}
	if err := cmp.Or(do.then(&got), do.print(got)); err != nil || !do.ForPeople() || agent.Inside(do.Getenv) != "" {
		return err
	}
	return do.read(readFlags{}, got.ID)
}

// noteHeld names what the operator and session hold besides one handoff.
func (do *acting) noteHeld(id string) {
	var others []handoff.Entry
	for _, e := range do.Held(do.store, do.who.Operator, do.who.Session) {
		if e.ID != id {
			others = append(others, e)
		}
	}
	if len(others) > 0 {
		do.Note("you also hold " + strings.Join(do.Names(do.store, others), ", "))
	}
}

// noteNewerFile names a newer handoff from the same file.
func (do *acting) noteNewerFile(got *handoff.ActReceipt) error {
	e, err := do.store.Find(got.ID)
	if newer, ok := do.store.Lifecycle().NewerOf(e); err == nil && ok {
		do.Note("a newer one from the same file: " + do.Names(do.store, []handoff.Entry{newer})[0])
	}
	return err
}

// noteNothing says on a terminal that nothing waits, and in a clone that has never synced that it may be elsewhere.
func (do *acting) noteNothing() {
	text := "nothing waits for " + do.who.Operator
	if isUnsynced(do.Project, do.store) {
		do.Note(text + "; " + neverSynced)
		return
	}
	do.NoteNothing(text)
}

func releaseCommand(a *cli.App) *cobra.Command {
	return ending(a, handoff.ActRelease, &cobra.Command{
		Use:     "release [ID…]",
		Short:   "Give a handoff back, as take --undo does",
		Example: `  handoff release 134327a8 --note 'waiting for the keys'`,
		Args:    cobra.ArbitraryArgs,
	})
}

func withdrawCommand(a *cli.App) *cobra.Command {
	return ending(a, handoff.ActWithdraw, &cobra.Command{
		Use:     "withdraw ID…",
		Short:   "Take a handoff back, as write --undo does",
		Example: `  handoff withdraw 134327a8`,
		Args:    cobra.MinimumNArgs(1),
	})
}

// ending completes a command that performs an action.
func ending(a *cli.App, act handoff.Act, cmd *cobra.Command) *cobra.Command {
	var who handoff.Who
	a.Session.Declare(cmd.Flags())
	cmd.Flags().StringVar(&who.Reason, "note", "", "why (`text`)")
	cmd.RunE = func(_ *cobra.Command, ids []string) error { return perform(a, act, ids, who) }
	return cmd
}
