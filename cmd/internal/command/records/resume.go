package records

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
)

func resumeCommand(a *app) *cobra.Command {
	var c checks
	var r record.Request
	offline := false
	cmd := &cobra.Command{
		Use: "resume ID|FILE --operator OP",
		Long: `Resume work from a packet. resume checks the packet, uses up its resume token,
takes it, marks it as read, and prints what to do next. Name a stored handoff,
its file, or a packet that is stored. Only a CLEAN packet is resumed, or an
OPERATIONAL one with --accept operational and --reason.

A token works once: if several operators resume at once, one of them succeeds;
the others exit with 11. If you run the command again, it prints the next
action again, also with exit code 11.

After the first sync of a project this holds for all its clones: the remote
decides. If the remote is unreachable, nothing is resumed; --offline goes
ahead, and the next sync reports a conflict.

Exit codes: 1 remote unreachable, 3 awaiting approval, 10 OPERATIONAL, 11
CRITICAL or resumed before.`,
		Example: "  handoff resume 134327a8 --operator ben\n" +
			"  handoff resume 134327a8 --operator ben --accept operational --reason 'confirmed by ann'",
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE: func(_ *cobra.Command, ids []string) error {
			r.ID = ids[0]
			r.Session = a.Session(r.Session)
			return a.take(r, c, offline)
		},
	}
	c.register(cmd)
	cmd.Flags().BoolVar(&offline, "offline", false, cli.OfflineUsage)
	a.OperatorFlag(cmd, &r.Operator)
	a.SessionFlag(cmd, &r.Session)
	cli.Choice(cmd, &r.Accept, "accept", "also resume from this `verdict`", "operational")
	cmd.Flags().StringVar(&r.Reason, "reason", "", "with --accept: the reason (`text`), for the audit log")
	return cmd
}

// take opens the store, resolves the request, and resumes.
func (a *app) take(r record.Request, c checks, offline bool) error {
	a.ForAgents = true
	p, s, err := a.OnceStore(offline)
	if err != nil {
		return err
	}
	if r.ID, err = a.storedID(s, r.ID); err != nil {
		return err
	}
	if r.Operator, err = a.Acting(p, s, r.Operator, r.ID); err != nil {
		return err
	}
	if r.Checks, err = c.with(a, p); err != nil {
		return err
	}
	ctx, stop := a.Stoppable()
	defer stop()
	if r.Probe, err = a.prober(ctx, p, s, &c); err != nil {
		return err
	}
	return a.resume(ctx, s, r, c.ascii)
}

// storedID returns the id of the stored handoff that name means: an id, or a file with the same content.
func (a *app) storedID(s *handoff.Store, name string) (string, error) {
	if _, err := os.Stat(name); isStored(name) || errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "./") {
		return name, nil
	}
	got, err := a.read(func() (*handoff.Store, error) { return s, nil }, name)
	if err != nil || got.id != "" {
		return got.id, err
	}
	return record.StoredAs(s, name, got.doc, got.text)
}

func (a *app) resume(ctx context.Context, s *handoff.Store, r record.Request, ascii bool) error {
	done, err := record.Resume(ctx, s, r)
	if refusal := (*record.Refusal)(nil); errors.As(err, &refusal) {
		if err := a.printRefusal(refusal, ascii); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	a.Committed()
	return a.Show(struct {
		cli.Consumed
		record.Brief
		Report packet.Report `json:"report"`
	}{cli.Consumed(done.Consumption), done.Brief, done.Report}, done.Text())
}

func (a *app) printRefusal(r *record.Refusal, ascii bool) error {
	if a.JSON {
		if !r.Again {
			return a.PrintJSON(r.Report)
		}
		return a.PrintJSON(struct {
			packet.Report
			record.Brief
		}{r.Report, r.Brief})
	}
	if err := a.printReports([]packet.Report{r.Report}, ascii); err != nil {
		return err
	}
	_, err := io.WriteString(a.Stdout, r.Text())
	return err
}
