package records

import (
	"bytes"
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

// checks are the flags that say what a handoff is checked against.
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
	cli.Duration(cmd.Flags(), &c.maxAge, "max-age", "how `old` a fresh handoff may be, such as 90m, 48h or 3d (default 48h)")
	cli.Texts(cmd.Flags(), &c.allowEmpty, "allow-empty", "a `field` that may be empty")
	cmd.Flags().StringVar(&c.answers, "answers", "", "a JSON `file` with objective, blocker and next_action as they were understood")
	cmd.Flags().StringVar(&c.confirmed, "confirmed-by", "", "the `operator` who says that the answers mean what the packet says, in other words; audited")
	cmd.Flags().StringVar(&c.probe, "probe", "", "run the probes that a handoff claims to have passed, or with =NAME that one; they have to be allowed (`name`)")
	cmd.Flags().Lookup("probe").NoOptDefVal = everyProbe
	cmd.Flags().BoolVar(&c.ascii, "ascii", false, "print ASCII only")
}

func checkCommand(a *app) *cobra.Command {
	var c checks
	cmd := &cobra.Command{
		Use: "check FILE|DIR|ID|-…",
		Long: `Check whether work can be resumed from handoffs: schema, freshness, resume token, replay test. FILE
is a packet or another record as JSON, or a handoff document; DIR stands for its *.md and *.json files.
Nothing is changed, no token consumed. The exit code is 0 for CLEAN, 10 for OPERATIONAL, 11 for CRITICAL;
of several the worst counts. What is looked for in words is a floor: a text that says little passes. Text
that seems to ask for something dangerous is labelled for people, and makes no verdict worse.

With --answers the replay test compares what was understood with what the packet says. No program can
tell whether other words mean the same: both are shown, and somebody has to confirm them.

With --probe the probes are run that a handoff claims to have passed (a reference such as probe:test=passed), as
.handoff-probes.yaml in the project defines them and as you have allowed it: see handoff probes. Each claim is then
confirmed, contradicted, not run, or was made of other work than what is here; what is not confirmed makes a handoff
OPERATIONAL. A result stands for 24 hours for the same definition on the same commit, as long as no file that git
tracks differs from it.`,
		Example:           "  handoff check packet.json\n  handoff check 134327a8 --answers understood.json\n  handoff check 134327a8 --probe",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE:              func(_ *cobra.Command, names []string) error { return a.check(names, &c) },
	}
	c.register(cmd)
	return cmd
}

// check prints what is found of each name. The error is the verdict.
func (a *app) check(names []string, c *checks) error {
	a.ForAgents = true
	open := a.NewStore // files need none
	if slices.ContainsFunc(names, isStored) {
		open = a.ProjectStore
	}
	p, s, err := open()
	if err != nil {
		return err
	}
	with, err := c.with(p)
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
		if note := record.Confirmed(context.Background(), s, in.ID, report); note != "" {
			report.Notes = append(report.Notes, note)
		}
		reports = append(reports, report)
	}
	if err := a.printReports(reports, c.ascii); err != nil {
		return err
	}
	return cli.Verdict(packet.Worst(reports))
}

// artifacts puts the files of directories in their place.
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

// with returns what the flags and the project say.
func (c *checks) with(p handoff.Project) (record.Checks, error) {
	r := record.Checks{MaxAge: c.maxAge, AllowEmpty: c.allowEmpty, ConfirmedBy: c.confirmed, Rules: schema.Universal(), Work: cli.WorkOf(p)}
	if !c.given("max-age") {
		r.MaxAge = p.Settings.MaxAge.Value
	} else if r.MaxAge == 0 {
		return r, cli.Invalid("give a duration such as 48h", "--max-age 0: nothing would be fresh")
	}
	if p.Options.Now != nil {
		r.Now = p.Options.Now()
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

// entries returns the entries of those names that are whole ids, where there are several: the index is then read once.
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
		return nil // each says what is wrong with it
	}
	known := make(map[string]handoff.Entry, len(found))
	for _, e := range found {
		known[e.ID] = e
	}
	return known
}

// stored reads the handoff of a name.
func stored(s *handoff.Store, known map[string]handoff.Entry, name string) (handoff.Stored, error) {
	if e, ok := known[name]; ok {
		return s.Load(e)
	}
	return s.Read(name)
}

// artifact reads what name stands for: standard input, a file, or a stored handoff.
func (a *app) artifact(s *handoff.Store, p handoff.Project, known map[string]handoff.Entry, name string) packet.Input {
	var text []byte
	var err error
	if name == "-" {
		name = "standard input"
		text, err = cli.ReadAll(a.Stdin, cli.MaxInput)
	} else if isStored(name) || isStoredFile(s, name) {
		got, err := stored(s, known, name)
		if err != nil {
			return packet.Input{Name: name, Err: err}
		}
		return record.Input(got.Entry.ID, got.Document, schema.Universal())
	} else {
		text, err = cli.ReadInput(name)
	}
	if err != nil {
		return packet.Input{Name: name, Err: err}
	}
	if !startsLikeDocument(text) {
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

// claimHolds proves the id that a document from outside the store claims.
func claimHolds(doc handoff.Document) error {
	id, err := handoff.ID(doc)
	if err == nil && id != doc.HandoffID {
		err = &handoff.IDMismatchError{Claimed: doc.HandoffID, Computed: id}
	}
	return err
}

// startsLikeDocument says whether a text begins as a handoff document does, rather than a record.
func startsLikeDocument(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("---"))
}

// isStored says whether a name stands for a stored handoff, and not for a file.
func isStored(name string) bool {
	_, missing := os.Stat(name)
	return looksLikeID(name) && errors.Is(missing, fs.ErrNotExist)
}

// isStoredFile says whether a name is that of the file of a stored handoff, and of none that is here.
func isStoredFile(s *handoff.Store, name string) bool {
	if _, missing := os.Stat(name); !errors.Is(missing, fs.ErrNotExist) || !strings.HasSuffix(name, ".md") {
		return false
	}
	_, err := s.Find(name)
	return err == nil
}

// looksLikeID says whether a name can be what people call a handoff, but for its file.
func looksLikeID(name string) bool {
	digits := strings.TrimPrefix(strings.ToLower(name), "sha256:")
	return name == "@" || len(digits) >= 4 && len(digits) <= 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// printReports prints the reports, each as a line of JSON, or all as text.
func (a *app) printReports(reports []packet.Report, ascii bool) error {
	return cli.Lines(a.App, reports, func() (string, error) {
		return packet.Text(reports, packet.TextOptions{ASCII: ascii, Names: cli.IsTerminal(a.Stdout)})
	})
}
