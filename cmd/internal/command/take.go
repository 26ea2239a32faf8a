package command

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeFlags struct {
	*actFlags
	For           *time.Duration
	Steal, Anyway bool
	Reason        string
}

func takeCommand(a *cli.App) *cobra.Command {
	f := &takeFlags{}
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
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, ids []string) error { return take(a, f, ids) },
	}
	flags := cmd.Flags()
	f.actFlags = newActFlags(a, flags)
	flags.BoolVar(&f.Undo, "undo", false, "give it back")
	flags.Var(cli.OptionalDuration(&f.For), "for", "hold it for this `duration` (a session: 2h; a person: no end)")
	flags.BoolVar(&f.ForOther, "for-other", false, "take what is to another operator")
	flags.BoolVar(&f.Anyway, "anyway", false, "take what is superseded, expired or archived")
	flags.BoolVar(&f.Steal, "steal", false, "take it from its holder, at a terminal; needs --reason")
	flags.StringVar(&f.Reason, "reason", "", "with --steal: why (`text`); its holder can read it")
	flags.StringVar(&f.Note, "note", "", "with --undo: why (`text`)")
	cli.Needs(cmd, "reason", "steal")
	cli.Needs(cmd, "note", "undo")
	for _, name := range []string{"for", "for-other", "anyway", "steal"} {
		cli.Conflicts(cmd, "undo", name)
	}
	return cmd
}

func take(a *cli.App, f *takeFlags, ids []string) error {
	act, who := handoff.ActTake, f.who()
	if who.Anyway = f.Anyway; f.For != nil {
		if who.For = *f.For; who.For <= 0 {
			return cli.Invalid("use a duration such as 30m or 2h", "--for needs a duration longer than 0")
		}
	}
	switch {
	case f.Undo:
		return perform(a, handoff.ActRelease, ids, who)
	case f.Steal && strings.TrimSpace(f.Reason) == "":
		return cli.Invalid("add --reason TEXT", "--steal needs a reason: the holder will read it")
	case f.Steal && (!a.CanAsk() || agent.Inside(a.Getenv) != ""):
		return fault.Denied(cmp.Or(a.Identity().Leak, "run it there, or wait until the lease is over"),
			"--steal needs a person at a terminal")
	case f.Steal:
		act, who.Reason = handoff.ActSteal, f.Reason
	}
	do, err := newActing(a, act, who, ids...)
	if err != nil {
		return err
	}
	if len(ids) > 0 || f.Steal {
		do.then = do.noteNewerFile
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
	if err := do.noteNewerFile(&got); err != nil {
		return err
	}
	if err := do.print(got); err != nil || !do.ForPeople() || agent.Inside(do.Getenv) != "" {
		return err
	}
	return readHandoffs(do.App, &readFlags{Who: &do.App.Who, KeepUnread: true}, []string{got.ID})
}

// showAgent prints what an agent has taken in a frame, with the line about the work and the commands that end it.
func (do *acting) showAgent(id string) error {
	do.Committed()
	do.ForAgents = true
	r := reading{do.App, &readFlags{Who: &do.App.Who, Agent: "plain"}, do.Project, do.store, do.who.Operator, ""}
	got, err := do.store.Read(id)
	if err != nil {
		return err
	}
	id = cli.Short(id, cli.Shortest)
	r.steps = "Next: do it, then `handoff done " + id + " --note TEXT`, or `handoff done " + id + " --reply -`\n"
	if handoff.CarriesPacket(got.Document) {
		r.steps = "Next: `handoff resume " + id + "`\n"
	}
	do.store.Seen().AddRead(got.Entry.ID)
	return r.show(got, handoff.Frame{Whole: handoff.MaxForAgents - cli.RoomForWords,
		More: cli.ReadOn("handoff read " + id)})
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

// noteNothing says that nothing waits, in a clone that has never synced perhaps elsewhere.
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
	f := newActFlags(a, cmd.Flags())
	cmd.Flags().StringVar(&f.Note, "note", "", "why (`text`)")
	cmd.ValidArgsFunction = a.CompleteIDs
	cmd.RunE = func(_ *cobra.Command, ids []string) error { return perform(a, act, ids, f.who()) }
	return cmd
}
