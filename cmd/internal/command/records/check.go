package records

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// checks are the flags for the check of a handoff.
type checks struct {
	MaxAge      *time.Duration
	AllowEmpty  []string
	Answers     string
	ConfirmedBy string
	ASCII       bool `flag:"ascii"`
}

// check checks each named handoff and prints the reports. The error is the verdict.
func check(a *cli.App, c *checks, names []string) error {
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
	o, err := with.Options(s)
	if err != nil {
		return err
	}
	if names, err = artifacts(names); err != nil {
		return err
	}
	var reports []packet.Report
	for _, name := range names {
		got, err := read(a, s, name)
		in := packet.Input{Name: got.name, Err: err}
		if err == nil {
			in = got.input()
		}
		reports = append(reports, record.Check(context.Background(), s, in, o))
	}
	if err := printReports(a, reports, c.ASCII); err != nil {
		return err
	}
	return cli.Verdict(packet.Worst(reports))
}

// artifacts replaces directories by their documents and records, without the index of a store.
func artifacts(names []string) (all []string, err error) {
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			all = append(all, name)
			continue
		}
		files, err := cli.Documents(name)
		files = slices.DeleteFunc(files, func(path string) bool { return handoff.IsIndex(filepath.Base(path)) })
		switch {
		case err != nil:
			return nil, err
		case len(files) == 0:
			return nil, cli.Invalid("", "%s has no handoffs or records", name)
		}
		all = append(all, files...)
	}
	return all, nil
}

// with returns the checks that flags and settings ask for.
func (c *checks) with(a *cli.App, p handoff.Project) (record.Checks, error) {
	r := record.Checks{Rules: schema.Universal(), Tree: cli.WorkOf(p), CheckOptions: packet.CheckOptions{
		AllowEmpty: c.AllowEmpty, ConfirmedBy: c.ConfirmedBy, Now: a.Now()}}
	if c.MaxAge != nil {
		r.MaxAge = *c.MaxAge
	}
	if c.MaxAge != nil && r.MaxAge == 0 {
		return r, cli.Invalid("use a duration such as 48h", "--max-age 0 accepts no handoff")
	}
	if c.Answers == "" {
		return r, nil
	}
	text, err := cli.ReadInput(c.Answers)
	if err != nil {
		return r, err
	}
	answers, err := packet.ParseAnswers(text)
	r.Answers = &answers
	return r, err
}

// printReports prints the reports as text, or as JSON a line each.
func printReports(a *cli.App, reports []packet.Report, ascii bool) error {
	return cli.Lines(a, reports, func() string {
		text := packet.Text(reports, packet.TextOptions{ASCII: ascii, Width: cli.TerminalWidth(a.Stdout)})
		return cli.Fit(a.Stdout, text)
	})
}
