package work

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type pruneFlags struct {
	*cli.Who
	ArchivedFor time.Duration
	Export      string
	Yes         bool
}

func pruneCommand(a *cli.App) *cobra.Command {
	f := &pruneFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:   "prune [ID…] --archived-for 90d --export FILE",
		Short: "Export and remove handoffs archived long ago",
		Long: `List the handoffs that were archived long ago. With --yes, remove them: first
all are exported to a bundle and checked, then their rows and files are removed
as one change. Other clones keep theirs, and sync does not bring them back;
import of the bundle does.

Handoffs that are unread, or taken and not done stay. So do
successors of handoffs that stay. If you name such a handoff, prune exits with
2. You can prune what you can archive.`,
		Example: `  handoff prune --archived-for 90d --export old.jsonl
  handoff prune --archived-for 90d --export old.jsonl --yes
  handoff import old.jsonl`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return prune(a, f, args) },
	}
	flags := cmd.Flags()
	f.Who.Declare(flags)
	flags.Var(cli.Duration(&f.ArchivedFor), "archived-for", "prune what was archived at least this "+
		"`duration` ago: 90d, 12w")
	flags.StringVar(&f.Export, "export", "", "the new `file` for the bundle with the handoffs")
	flags.BoolVar(&f.Yes, "yes", false, "remove them")
	return cmd
}

func prune(a *cli.App, f *pruneFlags, ids []string) error {
	if f.ArchivedFor <= 0 || f.Export == "" {
		return cli.Invalid("use `handoff prune --archived-for 90d --export FILE`",
			"prune needs --archived-for, longer than 0, and --export")
	}
	if f.Export == "-" {
		return cli.Invalid("name a file",
			"--export - is standard output; handoffs must be on disk before they are removed")
	}
	project, s, err := a.ProjectStore()
	if err == nil {
		err = cli.NewFile(s, f.Export)
	}
	if err != nil {
		return err
	}
	if f.Operator, err = a.Acting(project, s, f.Operator); err != nil {
		return err
	}
	if f.Yes {
		if err := s.Maintenance().Ready(); err != nil {
			return err
		}
		if err := s.Maintenance().Recover(context.Background()); err != nil { // completes an interrupted prune
			return err
		}
	}
	may, why, err := s.Prunable(f.Operator, f.ArchivedFor)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		if may, err = chosenOf(s, may, why, ids); err != nil {
			return err
		}
	} else {
		for _, id := range slices.Sorted(maps.Keys(why)) {
			a.Note(id + " stays: it " + why[id])
		}
	}
	if len(may) == 0 {
		a.Note("nothing to prune")
		return nil
	}
	if !f.Yes {
		if err := printPruned(a, s, may); err != nil {
			return err
		}
		a.Note(fmt.Sprintf("--yes exports %s to %s and removes them", handoff.Count(len(may), "handoff"), f.Export))
		return nil
	}
	return pruneNow(a, s, f, may, project.Options.MaxDocumentBytes)
}

// chosenOf returns the handoffs of ids. A handoff that cannot be pruned is an error.
func chosenOf(s *handoff.Store, may []handoff.Entry, why map[string]string, ids []string) (chosen []handoff.Entry,
	err error) {
	for _, id := range ids {
		e, err := s.Find(id)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(may, func(one handoff.Entry) bool { return one.ID == e.ID }) {
			return nil, cli.Invalid("remove it from the command", "%s cannot be pruned: it %s", e.ID,
				cmp.Or(why[e.ID], "is not archived"))
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}

func pruneNow(a *cli.App, s *handoff.Store, f *pruneFlags, may []handoff.Entry, maxDocument int) error {
	sum, texts, err := bundle.Keep(s, may, f.Export, maxDocument)
	if err != nil {
		return err
	}
	outcomes, err := s.Prune(context.Background(), f.Operator, may, texts, sum)
	if err != nil {
		return err
	}
	a.Committed()
	var gone []handoff.Entry
	for i, e := range may {
		if outcomes[i] == nil {
			gone = append(gone, e)
		}
	}
	if err := printPruned(a, s, gone); err != nil {
		return err
	}
	a.Note(fmt.Sprintf("pruned %s; they are in %s", handoff.Count(len(gone), "handoff"), f.Export))
	return errors.Join(outcomes...)
}

// printPruned prints a line or a JSON object for each handoff.
func printPruned(a *cli.App, s *handoff.Store, entries []handoff.Entry) error {
	if a.JSON {
		return cli.JSONLines(a, s.Listed(entries))
	}
	out := bufio.NewWriter(a.Stdout)
	for _, e := range entries {
		fmt.Fprintln(out, strings.Join([]string{e.ID, e.Time, e.From, e.To, e.Topic}, " "))
	}
	return out.Flush()
}
