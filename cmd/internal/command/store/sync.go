package store

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func syncCommand(a *app) *cobra.Command {
	var o exchange.Options
	background := false
	cmd := &cobra.Command{
		Use: "sync",
		Long: `Exchange handoffs with other clones over a git remote or an object store. sync
sends what is new here, and stores what others sent after verifying it:
handoffs, read marks, takes and resumes. A handoff that is refused for now is
held: the next sync tries again, and ` + "`" + `handoff list --held` + "`" + ` shows the reason and
the way out. An interrupted sync is completed by the next one.

Each clone has a ref of its own at the remote (refs/handoff/writers/w-…), or a
log of its own in the object store, so there are no conflicts, and no branch
changes. After the first sync, take, done, release and resume ask the remote, so
that only one clone succeeds. sync reports the --offline actions that came too
late. Actions of others count only if OPERATORS.md of this clone allows them;
the rest is held. Handoffs that others have pruned are archived here, and
removed after 90 days.

The first sync remembers the URL of the remote and the namespace. If the
settings name another one later, sync asks on a terminal; elsewhere, confirm it
with --remote NAME.

After the remote was restored from a backup, run sync --restore-remote once in
each clone: it publishes again what the clone knows. If two clones have taken
the same handoff since, the claim at the remote decides.

Exit codes:
  1  remote unreachable
  4  another sync is running
  6  a clone's history was rewritten, or this state directory was copied
  7  no git, no such remote, or access denied; if the remote accepts only branches,
     set ` + "`" + `sync_namespace: refs/heads/handoff` + "`" + ` in .handoff.yaml`,
		Example: "  handoff sync\n  handoff sync --remote backup --dry-run",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.CollectOften()
			a.Quiet = a.Quiet || background
			p, s, err := a.SyncStore(o.Remote)
			if err != nil {
				return err
			}
			if !p.Options.Git.IsShared() {
				if err := p.Exists(); err != nil {
					return err
				}
				return fault.New(fault.ErrConfig, "run `handoff init --git synced` first",
					"%s does not share its handoffs over git", p.Root)
			}
			with := a.Remote(p)
			with.FetchOnly, with.DryRun, with.Restore = o.FetchOnly, o.DryRun, o.Restore
			if o.Remote != "" {
				with.Remote, with.Named = o.Remote, true
			}
			if a.CanAsk() {
				with.Accept = a.Confirm
			}
			ctx, stop := a.Stoppable()
			defer stop()
			a.IsSyncing()
			if background {
				return exchange.Background(ctx, s, with)
			}
			got, err := exchange.Sync(ctx, s, with)
			return a.printSync(o, got, err)
		},
	}
	cmd.Flags().StringVar(&o.Remote, "remote", "", "the `name` of the remote (default: the setting remote, or origin)")
	cmd.Flags().BoolVar(&o.FetchOnly, "fetch-only", false, "receive only")
	cmd.Flags().BoolVar(&o.Restore, "restore-remote", false,
		"publish again what this clone knows, after a restore of the remote")
	cmd.Flags().BoolVar(&background, "background", false,
		"sync when it is the turn of this process; see handoff help remotes")
	_ = cmd.Flags().MarkHidden("background")
	cli.Exclusive(cmd, "restore-remote", "fetch-only")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be exchanged; store and send nothing")
	return cmd
}

func (a *app) printSync(o exchange.Options, got exchange.Result, err error) error {
	a.Committed()
	if got.Remote != "" && !a.JSON {
		a.Note("the remote is " + handoff.EscapeLine(got.Remote))
	}
	if a.JSON {
		if jsonErr := a.PrintJSON(syncedOf(got)); jsonErr != nil {
			return jsonErr
		}
		return err
	}
	var parts []string
	for _, part := range []struct {
		n    int
		verb string
		what string
	}{{got.Sent, "sent ", "handoff"}, {len(got.Received), "received ", "handoff"},
		{got.Marks, "took over ", "read mark"}, {got.Tokens, "took over ", "action"},
		{got.Signatures, "took over ", "signature"},
		{got.Pruned, "pruned ", "handoff"}, {got.Held, "held ", "handoff"}} {
		if part.n > 0 {
			parts = append(parts, part.verb+handoff.Count(part.n, part.what))
		}
	}
	if got.Waiting > 0 {
		parts = append(parts, handoff.Count(got.Waiting, "handoff")+" not sent")
	}
	if got.Told && got.Sent == 0 {
		parts = append(parts, "sent new events")
	}
	if len(parts) == 0 && err == nil {
		parts = []string{"nothing new"}
	}
	var lines []string
	for _, l := range got.Lost {
		lines = append(lines, fmt.Sprintf("warning: %s of %s by %s at %s came too late: "+
			"%s by %s at %s was first, in another clone (%s)", actOf(l.Here), l.Here.HandoffID, l.Here.Operator,
			l.Here.Time,
			actOf(l.First), l.First.Operator, l.First.Time, l.Writer))
	}
	a.notes(lines)
	lines = nil
	for _, why := range got.Why {
		lines = append(lines, "held: "+why)
	}
	a.notes(lines)
	if note := strings.Join(parts, ", "); note != "" {
		if o.DryRun {
			note = "without --dry-run: " + note
		}
		a.Note(note)
	}
	if got.Held > 0 && !o.DryRun {
		a.Note(cli.NoteHeld(got.Held))
	}
	return err
}

// notes prints the first lines as notes; --json has all.
func (a *app) notes(lines []string) {
	for _, line := range fault.Lines(lines, strings.Clone) {
		a.Note(line)
	}
}

// actOf returns the action of a line of the ledger.
func actOf(c handoff.Consumption) string { return cmp.Or(string(c.Act()), "resume") }

// A lost is an exchange.Lost in JSON.
type lost struct {
	Here   cli.Consumed `json:"here"`
	First  cli.Consumed `json:"first"`
	Writer string       `json:"first_writer"`
}

// synced is an exchange.Result in JSON.
type synced struct {
	exchange.Result
	Lost []lost `json:"lost_claims"`
}

func syncedOf(r exchange.Result) synced {
	all := synced{r, make([]lost, len(r.Lost))}
	for i, l := range r.Lost {
		all.Lost[i] = lost{cli.Consumed(l.Here), cli.Consumed(l.First), l.Writer}
	}
	return all
}
