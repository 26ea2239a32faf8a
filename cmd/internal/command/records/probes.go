package records

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/probe"
)

// everyProbe is what --probe says without a name.
const everyProbe = "*"

// prober returns what puts claims to the test, nil if that is not asked for. A definition that is not allowed as it is now is
// handoff.ErrDenied; one that names no such probe as is asked for is handoff.ErrInvalid.
func (a *app) prober(ctx context.Context, p handoff.Project, s *handoff.Store, c *checks) (func(string, []string) []packet.Probed, error) {
	if !c.given("probe") {
		return nil, nil
	}
	with := probe.Prober{Root: p.Work, Environ: os.Environ(), Only: strings.TrimPrefix(c.probe, everyProbe), Operator: p.Me(), Now: time.Now}
	if p.Options.Now != nil {
		with.Now = p.Options.Now
	}
	var err error
	with.Definition, err = probe.Read(p.Work)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
		if with.Only != "" {
			err = cli.Invalid("define it there", "the project has no "+probe.Name)
		}
	case err == nil:
		if err = a.allowed(p).Check(with.Definition); err == nil && with.Only != "" {
			_, err = with.Definition.Find(with.Only)
		}
	}
	if err != nil {
		return nil, err
	}
	with.Earlier = s.AuditLog().Probed
	with.Record = func(e handoff.Probed) bool { return s.AuditLog().RecordProbe(ctx, e) }
	return func(id string, references []string) (all []packet.Probed) {
		for _, f := range with.Claims(ctx, id, references) {
			all = append(all, packet.Probed{Probe: f.Probe, Defined: f.Defined, Verdict: string(f.Verdict), Pass: f.Passed, Reason: f.Reason, Output: f.Output})
		}
		return all
	}, nil
}

func (a *app) allowed(p handoff.Project) probe.Allowed {
	return probe.Allowed{Dir: p.User.State, Secret: func(create bool) ([]byte, error) {
		s, err := handoff.Open(p.Options)
		if err != nil {
			return nil, err
		}
		return s.Secret(create)
	}}
}

func probesCommand(a *app) *cobra.Command {
	return cli.Below(&cobra.Command{
		Use: "probes",
		Long: `A handoff may claim that a probe of the project has passed: probe:test=passed among its references. What probes there
are stands in .handoff-probes.yaml in the root of the project, such as:

  probes:
    test: {argv: [go, test, ./...], timeout: 10m}

handoff check --probe and handoff resume --probe run those that are claimed, without a shell, with nothing on standard
input, without a terminal, in the root of the project, with a small environment (PATH, HOME, LANG and the like), for as
long as their timeout says (10 minutes if it says nothing, 2 hours at most). Then what they have started is killed. What
takes itself out of its session and throws its environment away may get away; on systems other than Linux it is enough
to leave the process group, and Windows kills the program alone. The last 64 KiB that a probe prints are kept, and
shown in a frame like what others have written.

A probe runs with your rights, without a sandbox. So nothing runs before you have allowed the file as it is, with the
scripts and programs of the project that its argv names: after one byte of these has changed it is not allowed any
more. What they read and run in their turn is not bound: tests, a Makefile, package.json. What you have allowed is
kept with your own state (XDG_STATE_HOME), never in the project, and authenticated with your secret: what somebody
else has written there is refused with 6.`,
	},
		&cobra.Command{
			Use: "allow", Short: "Show what the project defines, and ask whether you allow it; needs a terminal",
			Long: `Show .handoff-probes.yaml as it is, and which scripts of the project it names, and ask at a terminal whether its probes may
run here with your rights, as these files are now. There is no other way to allow them: no flag, setting,
variable, hook or tool does.`,
			Example: "  handoff probes allow", Args: cli.Args(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return a.allowProbes() },
		},
		&cobra.Command{
			Use: "list", Short: "List the probes of the project, and whether you have allowed them",
			Example: "  handoff probes list", Args: cli.Args(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return a.listProbes() },
		},
		&cobra.Command{
			Use: "forget", Short: "Allow nothing of the project any more",
			Example: "  handoff probes forget", Args: cli.Args(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return a.forgetProbes() },
		},
	)
}

// definition reads the definition of the project.
func (a *app) definition() (handoff.Project, *probe.Definition, error) {
	p, err := a.Project()
	if err != nil {
		return p, nil, err
	}
	d, err := probe.Read(p.Work)
	if errors.Is(err, fs.ErrNotExist) {
		err = cli.Invalid("`handoff probes --help` shows what stands in one", "the project has no "+probe.Name)
	}
	return p, d, err
}

func (a *app) allowProbes() error {
	p, d, err := a.definition()
	if err != nil {
		return err
	}
	if name := agent.Inside(a.Getenv); name != "" {
		return cli.Denied("run it in a terminal of your own", "this is a session of %s; who allows probes is a person", name)
	}
	if !a.CanAsk() || !cli.IsTerminal(a.Stdout) {
		return cli.Denied("run it at a terminal", "nobody can be asked here whether the probes are allowed")
	}
	text := handoff.Escape(string(d.Text))
	fmt.Fprintf(a.Stdout, "%s\n\n", handoff.EscapeLine(d.Path))
	for line := range strings.Lines(text) {
		fmt.Fprintf(a.Stdout, "| %s\n", strings.TrimSuffix(line, "\n"))
	}
	if len(d.Files) > 0 {
		fmt.Fprint(a.Stdout, "\nIt names these scripts, and is allowed only as long as they stay as they are:\n")
	}
	for _, f := range d.Files {
		fmt.Fprintf(a.Stdout, "| %s  %s\n", f.SHA256[:16], handoff.EscapeLine(f.Name))
	}
	fmt.Fprint(a.Stdout, "\nWhat the probes read and run beyond that is not bound: tests, a Makefile, package.json and the like.\n")
	fmt.Fprintf(a.Stderr, "\nThey run with your rights, without a sandbox. May they run here? Type yes: ")
	answer, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil && err != io.EOF || strings.TrimSpace(answer) != "yes" {
		return cli.Denied("", "nothing was allowed")
	}
	if err := a.allowed(p).Allow(d, time.Now()); err != nil {
		return err
	}
	a.Note(fmt.Sprintf("allowed: %d of %s, as it is now", len(d.Probes), filepath.Base(d.Path)))
	return nil
}

// A probed is how a probe looks in JSON.
type probed struct {
	Name      string   `json:"probe"`
	Argv      []string `json:"argv"`
	Timeout   string   `json:"timeout"`
	IsAllowed bool     `json:"allowed"`
}

func (a *app) listProbes() error {
	p, d, err := a.definition()
	if err != nil {
		return err
	}
	since, err := a.allowed(p).Since(d)
	if err != nil {
		return err
	}
	list := []probed{}
	for _, one := range d.Probes {
		list = append(list, probed{one.Name, one.Argv, one.Timeout.String(), since != ""})
	}
	err = cli.Lines(a.App, list, func() (string, error) {
		var b strings.Builder
		for _, one := range list {
			words := make([]string, len(one.Argv))
			for i, w := range one.Argv {
				words[i] = fmt.Sprintf("%q", handoff.EscapeLine(w))
			}
			fmt.Fprintf(&b, "%s\t%s\t%s\n", one.Name, one.Timeout, strings.Join(words, " "))
		}
		return b.String(), nil
	})
	if err != nil || a.JSON {
		return err
	}
	state := "not allowed as it is now: read it, then run `handoff probes allow` at a terminal"
	if since != "" {
		state = "allowed since " + since
	}
	a.Note(probe.Name + " is " + state)
	return nil
}

func (a *app) forgetProbes() error {
	p, d, err := a.definition()
	if err != nil {
		return err
	}
	was, err := a.allowed(p).Forget(d)
	if err != nil {
		return err
	}
	note := "nothing of this project is allowed any more"
	if !was {
		note = "nothing of this project was allowed"
	}
	a.Note(note)
	if !a.JSON {
		return nil
	}
	return a.PrintJSON(map[string]any{"file_path": d.Path, "allowed": false})
}
