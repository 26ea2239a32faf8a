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
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Exchange handoffs with other clones over a git remote",
		Long: `Exchange handoffs with the other clones of the project, over a remote of its git repository. Each state
directory has a ref of its own there, refs/handoff/writers/w-…, which it alone changes: no branch is
touched, and nothing conflicts. What others have published is proven and stored in one batch, as if it
were written here; who has read what, and which work was resumed or taken, is taken over. What OPERATORS.md
or the clock does not allow yet is held, said with the reason, and tried again. What is interrupted is done by the next sync.

The URL of the remote and the namespace are remembered with the first sync. Where .handoff.yaml or git's
configuration name another one later, sync asks on a terminal; elsewhere it exits with 7, and --remote NAME accepts it.

Once a store has synced, resume, take, release and done ask the remote whether they are the first. What was
done --offline and was not the first is said.

What others did counts as far as OPERATORS.md of this clone lets them do it; the rest waits until it does. A
handoff that others have pruned is archived here, and its file goes after 90 days, or by ` + "`handoff prune`" + `.

After the remote was put back to a backup, run sync --restore-remote once in each clone: it publishes
again what the clone knows. If two clones took the same handoff since, the claim at the remote counts,
and the sync of the other clone names the holder.

It exits with 1 if the remote cannot be reached, 4 if another sync runs, 6 if somebody's history was
rewritten or this state directory was copied (the rest is exchanged all the same), 7 without git or a
remote, or if that does not let you in, or refuses the refs: ` + "`sync_namespace: refs/heads/handoff` in .handoff.yaml is a way round." + ``,
		Example: "  handoff sync\n  handoff sync --remote backup --dry-run",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.CollectOften()
			p, s, err := a.NewStore()
			if err != nil {
				return err
			}
			if !p.Options.Git.IsShared() {
				if err := p.Exists(); err != nil {
					return err
				}
				return fault.New(fault.ErrConfig, "run `handoff init --git synced` first", "the handoffs of %s are not shared over git", p.Root)
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
			got, err := exchange.Sync(ctx, s, with)
			return a.printSync(o, got, err)
		},
	}
	cmd.Flags().StringVar(&o.Remote, "remote", "", "the `name` of the git remote (default the setting remote, else origin)")
	cmd.Flags().BoolVar(&o.FetchOnly, "fetch-only", false, "store what others have published, and send nothing")
	cmd.Flags().BoolVar(&o.Restore, "restore-remote", false,
		"the remote was put back to a backup: publish again what this clone knows")
	cli.Exclusive(cmd, "restore-remote", "fetch-only")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would be exchanged; store and send nothing")
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
	}{{got.Sent, "sent ", "handoff"}, {len(got.Received), "received ", "handoff"}, {got.Marks, "took over ", "read mark"}, {got.Tokens, "took over ", "work step"}, {got.Signatures, "took over ", "signature"},
		{got.Pruned, "pruned ", "handoff"}, {got.Held, "held ", "handoff"}} {
		if part.n > 0 {
			parts = append(parts, part.verb+handoff.Count(part.n, part.what))
		}
	}
	if got.Waiting > 0 {
		parts = append(parts, handoff.Count(got.Waiting, "handoff")+" not sent")
	}
	if got.Told && got.Sent == 0 {
		parts = append(parts, "sent what was recorded here")
	}
	if len(parts) == 0 && err == nil {
		parts = []string{"nothing is new"}
	}
	var lines []string
	for _, l := range got.Lost {
		lines = append(lines, fmt.Sprintf("warning: %s was not the first with %s of %s at %s: "+
			"%s was, with %s, at %s, in another clone (%s)", l.Here.Operator, actOf(l.Here), l.Here.HandoffID, l.Here.Time,
			l.First.Operator, actOf(l.First), l.First.Time, l.Writer))
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
	return err
}

// notes prints the first of some lines; --json has all.
func (a *app) notes(lines []string) {
	for _, line := range fault.Lines(lines, func(line string) string { return line }) {
		a.Note(line)
	}
}

// actOf is what a line of the ledger is about.
func actOf(c handoff.Consumption) string { return cmp.Or(string(c.Act()), "resume") }

// A lost is how a exchange.Lost looks in JSON.
type lost struct {
	Here   cli.Consumed `json:"here"`
	First  cli.Consumed `json:"first"`
	Writer string       `json:"first_writer"`
}

// synced is how a exchange.Result looks in JSON.
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
