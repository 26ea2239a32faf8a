package records

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/probe"
)

// prober returns a function that tests the claims of a handoff, nil without --probe. If the definition is not allowed
// as it is now, the error is handoff.ErrDenied. If it lacks the named probe, the error is handoff.ErrInvalid.
func prober(ctx context.Context, a *cli.App, p handoff.Project, s *handoff.Store,
	c *checks) (func(string, []string) []packet.Probed, error) {
	if c.Probe == nil {
		return nil, nil
	}
	with := probe.Prober{Root: p.Work, Environ: os.Environ(), Only: strings.TrimPrefix(*c.Probe, "*"),
		Operator: p.Me(), Now: a.Now}
	var err error
	with.Definition, err = probe.Read(p.Work)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
		if with.Only != "" {
			err = cli.Invalid("define the probe in it", "the project has no "+probe.Name)
		}
	case err == nil:
		if err = allowed(a, p).Check(with.Definition); err == nil && with.Only != "" {
			_, err = with.Definition.Find(with.Only)
		}
	}
	if err != nil {
		return nil, err
	}
	with.Earlier = s.AuditLog().Probed
	with.Record = func(e handoff.Probed) bool { return s.AuditLog().RecordProbe(ctx, e) }
	return func(id string, references []string) []packet.Probed { return with.Claims(ctx, id, references) }, nil
}

func allowed(a *cli.App, p handoff.Project) probe.Allowed {
	return probe.Allowed{Dir: p.User.State, Secret: func(create bool) ([]byte, error) {
		s, err := handoff.Open(p.Options)
		if err != nil {
			return nil, err
		}
		return s.Secret(create)
	}}
}

// definition reads the probes of the project.
func definition(a *cli.App) (handoff.Project, *probe.Definition, error) {
	p, err := a.Project()
	if err != nil {
		return p, nil, err
	}
	d, err := probe.Read(p.Work)
	if errors.Is(err, fs.ErrNotExist) {
		err = cli.Invalid("`handoff probes --help` shows an example", "the project has no "+probe.Name)
	}
	return p, d, err
}

func allowProbes(a *cli.App, _ *cli.None, _ []string) error {
	p, d, err := definition(a)
	if err != nil {
		return err
	}
	if name := agent.Inside(a.Getenv); name != "" {
		return fault.Denied("run it in a terminal of your own",
			"this is a session of %s; only a person can allow probes", name)
	}
	if !a.CanAsk() || !cli.IsTerminal(a.Stdout) {
		return fault.Denied("run it at a terminal", "this is no terminal; only a person can allow probes")
	}
	text := handoff.Escape(string(d.Text))
	fmt.Fprintf(a.Stdout, "%s\n\n", handoff.EscapeLine(d.Path))
	for line := range strings.Lines(text) {
		fmt.Fprintf(a.Stdout, "| %s\n", strings.TrimSuffix(line, "\n"))
	}
	if len(d.Files) > 0 {
		fmt.Fprint(a.Stdout, "\nIt names these scripts. If one of them changes, you must allow it again:\n")
	}
	for _, f := range d.Files {
		fmt.Fprintf(a.Stdout, "| %s  %s\n", f.SHA256[:16], handoff.EscapeLine(f.Name))
	}
	fmt.Fprint(a.Stdout, "\nThis does not cover files that the probes read or run, such as tests, a Makefile or "+
		"package.json.\n")
	answer, err := a.Ask("\nThe probes run with your rights, without a sandbox. Do you allow them? Type yes: ")
	if err != nil || answer != "yes" {
		return fault.Denied("", "nothing was allowed")
	}
	if err := allowed(a, p).Allow(d, time.Now()); err != nil {
		return err
	}
	a.Note(fmt.Sprintf("allowed: %s of %s, as it is now", handoff.Count(len(d.Probes), "probe"), filepath.Base(d.Path)))
	return nil
}

func forgetProbes(a *cli.App, _ *cli.None, _ []string) error {
	p, d, err := definition(a)
	if err != nil {
		return err
	}
	was, err := allowed(a, p).Forget(d)
	if err != nil {
		return err
	}
	note := "the probes of this project are no longer allowed"
	if !was {
		note = "the probes of this project were not allowed"
	}
	a.Note(note)
	return a.Show(map[string]any{"file_path": d.Path, "allowed": false}, "")
}
