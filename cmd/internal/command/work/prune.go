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

// A pruning holds the flags of prune.
type pruning struct {
	age            time.Duration
	file, operator string
	yes            bool
}

func pruneCommand(a *app) *cobra.Command {
	var p pruning
	cmd := &cobra.Command{
		Use: "prune [ID…] --archived-for 90d --export FILE",
		Long: `List the handoffs that were archived long ago. With --yes, remove them: first
all are exported to a bundle and checked, then their rows and files are removed
as one change. Their ids stay as tombstones, so that write, import and sync do
not store them again; import --restore does.

The next sync tells the other clones, which remove the handoffs that are
archived there too. A handoff that was unarchived in another clone meanwhile is
stored again.

Handoffs that are unread, awaiting approval, or taken and not done stay. So do
successors of handoffs that stay. If you name such a handoff, prune exits with
2. You can prune what you can archive.`,
		Example: "  handoff prune --archived-for 90d --export old.jsonl\n" +
			"  handoff prune --archived-for 90d --export old.jsonl --yes\n  handoff import old.jsonl --restore",
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.prune(p, ids)
		},
	}
	a.OperatorFlag(cmd, &p.operator)
	cli.Duration(cmd.Flags(), &p.age, "archived-for", "prune what was archived at least this `duration` ago: 90d, 12w")
	cmd.Flags().StringVar(&p.file, "export", "", "the new `file` for the bundle with the handoffs")
	cmd.Flags().BoolVar(&p.yes, "yes", false, "remove them")
	return cmd
}

func (a *app) prune(p pruning, ids []string) error {
	if p.age <= 0 || p.file == "" {
		return cli.Invalid("use `handoff prune --archived-for 90d --export FILE`",
			"prune needs --archived-for, longer than 0, and --export")
	}
	if p.file == "-" {
		return cli.Invalid("name a file",
			"--export - is standard output; handoffs must be on disk before they are removed")
	}
	project, s, err := a.ProjectStore()
	if err == nil {
		err = cli.NewFile(s, p.file)
	}
	if err != nil {
		return err
	}
	if p.operator, err = a.Acting(project, s, p.operator); err != nil {
		return err
	}
	if p.yes {
		if err := s.Maintenance().Ready(); err != nil {
			return err
		}
		if err := s.Maintenance().Recover(context.Background()); err != nil { // completes an interrupted prune
			return err
		}
	}
	may, why, err := s.Prunable(p.operator, p.age)
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
	if !p.yes {
		if err := a.printPruned(s, may); err != nil {
			return err
		}
		a.Note(fmt.Sprintf("--yes exports %s to %s and removes them", handoff.Count(len(may), "handoff"), p.file))
		return nil
	}
	return a.pruneNow(s, p, may, project.Options.MaxDocumentBytes)
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

func (a *app) pruneNow(s *handoff.Store, p pruning, may []handoff.Entry, maxDocument int) error {
	sum, texts, err := bundle.Keep(s, may, p.file, maxDocument)
	if err != nil {
		return err
	}
	outcomes, err := s.Prune(context.Background(), p.operator, may, texts, sum)
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
	if err := a.printPruned(s, gone); err != nil {
		return err
	}
	a.Note(fmt.Sprintf("pruned %s; they are in %s", handoff.Count(len(gone), "handoff"), p.file))
	return errors.Join(outcomes...)
}

// printPruned prints a line or a JSON object for each handoff.
func (a *app) printPruned(s *handoff.Store, entries []handoff.Entry) error {
	if a.JSON {
		return cli.JSONLines(a.App, s.Listed(entries))
	}
	out := bufio.NewWriter(a.Stdout)
	for _, e := range entries {
		fmt.Fprintln(out, strings.Join([]string{e.ID, e.Time, e.From, e.To, e.Topic}, " "))
	}
	return out.Flush()
}
