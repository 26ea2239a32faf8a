package whole

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/replica"
)

func syncCommand(a *app) *cobra.Command {
	var o replica.Options
	cmd := &cobra.Command{
		Use: "sync",
		Long: `Exchange handoffs with the other clones of the project, over a remote of its git repository. Each state
directory has a ref of its own there, refs/handoff/writers/w-…, which it alone changes: no branch is
touched, and nothing conflicts. What others have published is proven and stored in one batch, as if it
were written here; who has read what, and which work was resumed or taken, is taken over. What OPERATORS.md
or the clock does not allow yet is held, said with the reason, and tried again. What is interrupted is done by the next sync.

Once a store has synced, resume, take, release and done ask the remote whether they are the first. What was
done --offline and was not the first is said.

It exits with 1 if the remote cannot be reached, 4 if another sync runs, 6 if somebody's history was
rewritten or this state directory was copied (the rest is exchanged all the same), 7 without git or a
remote, or if that does not let you in, or refuses the refs: ` + "`sync_namespace: refs/heads/handoff` in .handoff.yaml is a way round." + ``,
		Example: "  handoff sync\n  handoff sync --remote backup --dry-run",
		Args:    everyday.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			everyday.CollectOften()
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
			with.FetchOnly, with.DryRun = o.FetchOnly, o.DryRun
			if o.Remote != "" {
				with.Remote = o.Remote
			}
			ctx, stop := everyday.Stoppable()
			defer stop()
			got, err := replica.Sync(ctx, s, with)
			return a.printSync(o, got, err)
		},
	}
	cmd.Flags().StringVar(&o.Remote, "remote", "", "the `name` of the git remote (default the setting remote, else origin)")
	cmd.Flags().BoolVar(&o.FetchOnly, "fetch-only", false, "store what others have published, and send nothing")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would be exchanged; store and send nothing")
	return cmd
}

func (a *app) printSync(o replica.Options, got replica.Result, err error) error {
	a.Committed()
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
	for _, l := range got.Lost {
		a.Note(fmt.Sprintf("warning: %s was not the first with %s at %s: %s was, at %s, in another clone (%s)", l.Here.Operator, l.Here.HandoffID, l.Here.Time,
			l.First.Operator, l.First.Time, l.Writer))
	}
	for _, why := range got.Why[:min(len(got.Why), mostWhy)] {
		a.Note("held: " + why)
	}
	if note := strings.Join(parts, ", "); note != "" {
		if o.DryRun {
			note = "without --dry-run: " + note
		}
		a.Note(note)
	}
	return err
}

// mostWhy is how many reasons of what is held are said; --json says all.
const mostWhy = 5

// A lost is how a replica.Lost looks in JSON.
type lost struct {
	Here   everyday.Consumed `json:"here"`
	First  everyday.Consumed `json:"first"`
	Writer string            `json:"first_writer"`
}

// synced is how a replica.Result looks in JSON.
type synced struct {
	replica.Result
	Lost []lost `json:"lost_claims"`
}

func syncedOf(r replica.Result) synced {
	all := synced{r, make([]lost, len(r.Lost))}
	for i, l := range r.Lost {
		all.Lost[i] = lost{everyday.Consumed(l.Here), everyday.Consumed(l.First), l.Writer}
	}
	return all
}
