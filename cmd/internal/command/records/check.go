package records

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// checks holds the flags that handoffs are checked with.
type checks struct {
	maxAge     time.Duration
	allowEmpty []string
	answers    string
	confirmed  string
	ascii      bool
	probe      string
	given      func(flag string) bool
}

func (c *checks) register(cmd *cobra.Command) {
	c.given = cmd.Flags().Changed
	cli.Duration(cmd.Flags(), &c.maxAge, "max-age", "accept handoffs up to this `age`, such as 90m or 3d (default: 48h)")
	cli.Texts(cmd.Flags(), &c.allowEmpty, "allow-empty", "accept this empty `field`")
	cmd.Flags().StringVar(&c.answers, "answers", "", "a JSON `file` with objective, blocker and next_action as you understood them")
	cmd.Flags().StringVar(&c.confirmed, "confirmed-by", "", "the `operator` who confirms that the answers mean the same as the packet; audited")
	cmd.Flags().StringVar(&c.probe, "probe", "", "run the probes that the handoff claims to have passed, or only the probe `name`")
	cmd.Flags().Lookup("probe").NoOptDefVal = everyProbe
	cmd.Flags().BoolVar(&c.ascii, "ascii", false, "print ASCII only")
}

func checkCommand(a *app) *cobra.Command {
	var c checks
	cmd := &cobra.Command{
		Use: "check FILE|DIR|ID|-…",
		Long: `Check whether work can continue from a handoff: is it complete, recent and not
used before, and does it say what to do next? FILE is a record as JSON or a
handoff document, DIR means its *.md and *.json files. check changes nothing
and uses no token. It cannot judge the meaning of a text: a text that says
little can pass. Text that seems to ask for something dangerous is labeled, and
does not change the verdict.

With --answers, check compares what you understood with the packet. It cannot
tell whether different words mean the same: both are shown, and you confirm
them with --confirmed-by NAME.

With --probe, check runs the probes that the sender claims to have passed (a
reference such as probe:test=passed). Allow them first with handoff probes
allow. Each claim is confirmed, contradicted, not run, or about other work than
yours; a handoff with a claim that is not confirmed is OPERATIONAL. A result is
kept for 24 hours, while the definition, the commit and all tracked files stay
the same.

Exit codes: 0 CLEAN, 10 OPERATIONAL (fix or confirm first), 11 CRITICAL (do not
continue). For several handoffs the worst counts.`,
		Example:           "  handoff check packet.json\n  handoff check 134327a8 --answers understood.json\n  handoff check 134327a8 --probe",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE:              func(_ *cobra.Command, names []string) error { return a.check(names, &c) },
	}
	c.register(cmd)
	return cmd
}

// check checks each named handoff and prints the reports. The error is the verdict.
func (a *app) check(names []string, c *checks) error {
	a.ForAgents = true
	open := a.NewStore // files need no store
	if slices.ContainsFunc(names, isStored) {
		open = a.ProjectStore
	}
	p, s, err := open()
	if err != nil {
		return err
	}
	with, err := c.with(a, p)
	if err != nil {
		return err
	}
	ctx, stop := a.Stoppable()
	defer stop()
	if with.Probe, err = a.prober(ctx, p, s, c); err != nil {
		return err
	}
	o, err := with.Options(s)
	if err != nil {
		return err
	}
	if names, err = artifacts(names); err != nil {
		return err
	}
	known := entries(s, names)
	var reports []packet.Report
	for _, name := range names {
		in := a.artifact(s, p, known, name)
		report := packet.Check(in, o)
		if note := record.RecordConfirmation(context.Background(), s, in.ID, report); note != "" {
			report.Notes = append(report.Notes, note)
		}
		reports = append(reports, report)
	}
	if err := a.printReports(reports, c.ascii); err != nil {
		return err
	}
	return cli.Verdict(packet.Worst(reports))
}

// artifacts replaces directories by their files.
func artifacts(names []string) (all []string, err error) {
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			all = append(all, name)
			continue
		}
		files, err := cli.Documents(name)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return all, nil
}

// with returns the checks that flags and settings ask for.
func (c *checks) with(a *app, p handoff.Project) (record.Checks, error) {
	r := record.Checks{Rules: schema.Universal(), Tree: cli.WorkOf(p), CheckOptions: packet.CheckOptions{
		MaxAge: c.maxAge, AllowEmpty: c.allowEmpty, ConfirmedBy: c.confirmed, Now: a.Now()}}
	if !c.given("max-age") {
		r.MaxAge = p.Settings.MaxAge.Value
	} else if r.MaxAge == 0 {
		return r, cli.Invalid("use a duration such as 48h", "--max-age 0 accepts no handoff")
	}
	if c.answers == "" {
		return r, nil
	}
	text, err := cli.ReadInput(c.answers)
	if err != nil {
		return r, err
	}
	answers, err := packet.ParseAnswers(text)
	r.Answers = &answers
	return r, err
}

// entries returns the entries of the names that are whole ids, if there are several. It reads the index once.
func entries(s *handoff.Store, names []string) map[string]handoff.Entry {
	var ids []string
	for _, name := range names {
		if len(name) == len("sha256:")+64 && isStored(name) {
			ids = append(ids, name)
		}
	}
	if len(ids) < 2 {
		return nil
	}
	found, err := s.FindEach(ids)
	if err != nil {
		return nil // reading each handoff reports its error
	}
	known := make(map[string]handoff.Entry, len(found))
	for _, e := range found {
		known[e.ID] = e
	}
	return known
}

// stored reads a stored handoff.
func stored(s *handoff.Store, known map[string]handoff.Entry, name string) (handoff.Stored, error) {
	if e, ok := known[name]; ok {
		return s.Load(e)
	}
	return s.Read(name)
}

// artifact reads standard input, a file, or a stored handoff.
func (a *app) artifact(s *handoff.Store, p handoff.Project, known map[string]handoff.Entry, name string) packet.Input {
	if isStored(name) || isStoredFile(s, name) {
		got, err := stored(s, known, name)
		if err != nil {
			return packet.Input{Name: name, Err: err}
		}
		return record.Input(got.Entry.ID, got.Document, schema.Universal())
	}
	name, text, err := a.ReadNamed(name)
	if err != nil {
		return packet.Input{Name: name, Err: err}
	}
	if !cli.HasFrontmatter(text) {
		return record.InputJSON(name, text, schema.Universal())
	}
	doc, err := handoff.Parse(handoff.Source{Text: text}, p.Options.Rules, p.Options.MaxDocumentBytes)
	if err == nil && doc.HandoffID != "" {
		err = claimHolds(doc)
	}
	if err != nil {
		return packet.Input{Name: name, Err: err}
	}
	return record.Input(name, doc, schema.Universal())
}

// claimHolds returns an error if the id in a document from outside the store does not match its content.
func claimHolds(doc handoff.Document) error {
	id, err := handoff.ID(doc)
	if err == nil && id != doc.HandoffID {
		err = &handoff.IDMismatchError{Claimed: doc.HandoffID, Computed: id}
	}
	return err
}

// isStored reports whether a name means a stored handoff, and not a file.
func isStored(name string) bool {
	_, missing := os.Stat(name)
	return looksLikeID(name) && errors.Is(missing, fs.ErrNotExist)
}

// isStoredFile reports whether a name is that of a stored handoff's file, and not a path from here.
func isStoredFile(s *handoff.Store, name string) bool {
	if _, missing := os.Stat(name); !errors.Is(missing, fs.ErrNotExist) || !strings.HasSuffix(name, ".md") {
		return false
	}
	_, err := s.Find(name)
	return err == nil
}

// looksLikeID reports whether a name can be an id, a prefix or @.
func looksLikeID(name string) bool {
	digits := strings.TrimPrefix(strings.ToLower(name), "sha256:")
	return name == "@" || len(digits) >= 4 && len(digits) <= 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// printReports prints the reports as text, or as JSON a line each.
func (a *app) printReports(reports []packet.Report, ascii bool) error {
	return cli.Lines(a.App, reports, func() (string, error) {
		return packet.Text(reports, packet.TextOptions{ASCII: ascii, Names: cli.IsTerminal(a.Stdout)})
	})
}
