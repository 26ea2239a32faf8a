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

type syncFlags struct {
	Remote        string
	FetchOnly     bool
	RestoreRemote bool
	Background    bool // sync when it is the turn of this process; see handoff help remotes
	DryRun        bool
}

func syncCommand(a *cli.App) *cobra.Command {
	f := &syncFlags{}
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Exchange handoffs with other clones",
		Long: `Exchange handoffs with other clones over a git remote or an object store. sync
sends what is new here, and stores what others sent after verifying it:
handoffs, read marks, takes and resumes. A handoff that is refused for now is
held: the next sync tries again, and ` + "`handoff list --held`" + ` shows the reason and
the way out. An interrupted sync is completed by the next one.

Each clone has a ref of its own at the remote (refs/handoff/writers/w-…), or a
log of its own in the object store, so there are no conflicts, and no branch
changes. After the first sync, take, done, release and resume ask the remote, so
that only one clone succeeds. sync reports the --offline actions that came too
late. Actions of others count only if OPERATORS.md of this clone allows them;
the rest is held.

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
  7  no git, no such remote, or access denied; if the remote accepts only
     branches, set ` + "`sync_namespace: refs/heads/handoff`" + ` in .handoff.yaml`,
		Example: `  handoff sync
  handoff sync --remote backup --dry-run`,
		RunE: func(_ *cobra.Command, _ []string) error { return sync(a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Remote, "remote", "", "the `name` of the remote (default: the setting remote; "+
		"without it, the one that was synced last, or origin)")
	flags.BoolVar(&f.FetchOnly, "fetch-only", false, "receive only")
	flags.BoolVar(&f.RestoreRemote, "restore-remote", false, "publish again what this clone knows, after a "+
		"restore of the remote")
	flags.BoolVar(&f.Background, "background", false, "sync when it is the turn of this process; see "+
		"handoff help remotes")
	flags.BoolVar(&f.DryRun, "dry-run", false, "show what would be exchanged; store and send nothing")
	cli.Conflicts(cmd, "restore-remote", "fetch-only")
	flags.Lookup("background").Hidden = true
	return cmd
}

func sync(a *cli.App, f *syncFlags) error {
	cli.CollectAt(100)
	a.Quiet = a.Quiet || f.Background
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if !p.Options.Git.IsShared() {
		if err := p.Exists(); err != nil {
			return err
		}
		return fault.Config("run `handoff init --git synced` first",
			"%s does not share its handoffs over git", p.Root)
	}
	with := a.Remote(p)
	with.FetchOnly, with.DryRun, with.Restore = f.FetchOnly, f.DryRun, f.RestoreRemote
	if f.Remote != "" {
		with.Remote, with.Named = f.Remote, true
	}
	if a.CanAsk() {
		with.Accept = a.Confirm
	}
	ctx, stop := a.Stoppable()
	defer stop()
	a.IsSyncing()
	if f.Background {
		return exchange.Background(ctx, s, with)
	}
	got, err := exchange.Sync(ctx, s, with)
	return printSync(a, f.DryRun, got, err)
}

func printSync(a *cli.App, dryRun bool, got exchange.Result, err error) error {
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
	verb := "" // is said once
	for _, part := range []struct {
		n    int
		verb string
		what string
	}{{got.Sent, "sent ", "handoff"}, {len(got.Received), "received ", "handoff"},
		{got.Marks, "took over ", "read mark"}, {got.Tokens, "took over ", "action"},
		{got.Signatures, "took over ", "signature"},
		{got.Held, "held ", "handoff"}} {
		if part.n > 0 {
			if parts = append(parts, handoff.Count(part.n, part.what)); part.verb != verb {
				verb = part.verb
				parts[len(parts)-1] = verb + parts[len(parts)-1]
			}
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
	notes(a, lines)
	lines = nil
	for _, why := range got.Why {
		lines = append(lines, "held: "+why)
	}
	notes(a, lines)
	if note := strings.Join(parts, ", "); note != "" {
		if dryRun {
			note = "without --dry-run: " + note
		}
		a.Note(note)
	}
	if got.Held > 0 && !dryRun {
		a.Note(cli.NoteHeld(got.Held))
	}
	return err
}

// notes prints the first lines as notes; --json has all.
func notes(a *cli.App, lines []string) {
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
