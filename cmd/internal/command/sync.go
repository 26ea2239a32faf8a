package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type syncFlags struct {
	Remote string
	Later  bool // in the background, after a change
	handoff.SyncOptions
}

func syncCommand(a *cli.App) *cobra.Command {
	f := &syncFlags{}
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Exchange handoffs with other clones",
		Long: `Exchange handoffs with other clones over a git remote or an object store. sync
receives what others did and sends what you did: handoffs, read marks, takes and
dones. It changes no branch. A handoff that may not be stored yet is held: the
next sync tries again, and sync says why and what lets it in.

After the first sync take, done and the like ask the remote, so that exactly one
clone succeeds; --offline acts without it, and the next sync says whether that
counts. In a git project the remote is origin, or the setting remote; object
stores are named in your own configuration (` + "`handoff help settings`" + `).

The first sync remembers the remote. If the settings name another one later,
sync asks on a terminal; elsewhere name it with --remote.

Exit codes: 1 remote unreachable; 4 another sync is running; 6 the remote lost
or changed what it had; 7 no git, no such remote, or access denied; 11 what you
did offline does not count.`,
		Example: `  handoff sync
  handoff sync --remote backup --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error { return sync(a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Remote, "remote", "", "the `name` of the remote")
	flags.BoolVar(&f.FetchOnly, "fetch-only", false, "receive only")
	flags.BoolVar(&f.DryRun, "dry-run", false, "show what would be sent; store and send nothing")
	flags.BoolVar(&f.Restore, "restore-remote", false, "give the remote back what it lacks, after a backup "+
		"of it was restored")
	flags.BoolVar(&f.Later, "later", false, "in the background: at most one sync in 30 seconds")
	flags.Lookup("later").Hidden = true
	cli.Conflicts(cmd, "restore-remote", "fetch-only", "dry-run")
	return cmd
}

func sync(a *cli.App, f *syncFlags) error {
	cli.CollectOften()
	s, err := a.SyncStore(f.Remote)
	if err != nil {
		return err
	}
	ctx, stop := a.Stoppable()
	defer stop()
	if f.Later && !isTurn(ctx, s.OwnPath()) {
		return nil
	}
	got, err := s.Sync(ctx, f.SyncOptions)
	if own := s.OwnPath(); own != "" && !f.DryRun && (f.Later || err == nil) {
		text := ""
		if err != nil {
			text = err.Error()
		}
		_ = os.WriteFile(filepath.Join(own, lastSync), []byte(text), 0o600) // only status reads it
	}
	if shown := showSync(a, f.DryRun, got, err); err == nil {
		err = shown
	}
	return cmp.Or(err, fault.Join(got.Lost, lostError))
}

const (
	between  = 30 * time.Second // the time between two syncs in the background
	lastSync = "sync-last"      // the file in the user's state that has the failure of the last sync
)

// isTurn waits until the time between two syncs is over. It returns false if another process waits already.
func isTurn(ctx context.Context, own string) bool {
	waiting := filepath.Join(own, "sync-waiting")
	if info, err := os.Stat(waiting); err == nil && time.Since(info.ModTime()) < 2*between {
		return false
	}
	if os.WriteFile(waiting, nil, 0o600) != nil {
		return false
	}
	defer os.Remove(waiting)
	if info, err := os.Stat(filepath.Join(own, lastSync)); err == nil {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(between - time.Since(info.ModTime())):
		}
	}
	return true
}

// lostError returns the error for a turn that was made offline and does not count.
func lostError(l handoff.LostTurn) error {
	return fault.New(cli.ErrCritical, "take another one: `handoff take`",
		"the offline %s of %s does not count: %s was first",
		strings.TrimPrefix(l.Type, "handoff."), cli.Short(l.ID, cli.Shortest), fault.Own(cmp.Or(l.By, "another clone")))
}

// showSync prints what a sync did, also if it failed later.
func showSync(a *cli.App, dryRun bool, got handoff.SyncReport, err error) error {
	if a.JSON {
		if err != nil {
			return nil
		}
		return a.PrintJSON(got)
	}
	var parts []string
	if got.Received > 0 {
		parts = append(parts, "received "+handoff.Count(got.Received, "handoff"))
	}
	if got.Sent > 0 {
		verb := map[bool]string{true: "would send ", false: "sent "}[dryRun]
		parts = append(parts, verb+handoff.Count(got.Sent, "event"))
	}
	parts = append(parts, fault.Lines(slices.Sorted(maps.Keys(got.Acts)), func(name string) (did string) {
		for _, kind := range slices.Sorted(maps.Keys(got.Acts[name])) {
			what := handoff.Act(strings.TrimPrefix(kind, "handoff.")).Participle()
			did += fmt.Sprintf(", %d %s", got.Acts[name][kind], what)
		}
		return name + ":" + did[1:]
	})...)
	if len(parts) > 0 {
		a.Note(strings.Join(parts, "; "))
	} else if err == nil {
		a.Note("nothing new")
	}
	for _, h := range got.Held {
		a.Note(cli.Short(h.ID, cli.Shortest) + " is held: " + h.Why)
	}
	if n := len(got.Unsealed); n > 0 {
		a.Note(fmt.Sprintf("%s of %s waits for a sync with the key of %s, and counts then",
			handoff.Count(n, "act"), got.Unsealed[0].Operator, got.Unsealed[0].Operator))
	}
	if got.PassedOver > 0 {
		a.Note(handoff.Count(got.PassedOver, "malformed line") + " at the remote passed over")
	}
	if got.More {
		a.Note("there is more: run `handoff sync` again")
	}
	return nil
}
