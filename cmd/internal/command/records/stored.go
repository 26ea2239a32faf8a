package records

import (
	"path/filepath"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// optionsOf returns the options of every new record. Warnings become notes.
func optionsOf(a *cli.App, f cli.Fields) record.Options {
	return record.Options{Head: handoff.Document(f), Rules: schema.Universal(), Redact: a.Gate.Redact,
		Allow: a.Gate.AllowSecret, Warn: func(text string) { a.Note("warning: " + text) }}
}

// projectName returns the project for records that name none: the name of the project root.
func projectName(a *cli.App) string {
	p, err := a.Project()
	if err != nil {
		return "" // opening the store returns the error
	}
	return filepath.Base(p.Root)
}

// Stored returns a function that makes sources from the records of one run.
func Stored(in *cli.Input, f cli.Fields) func(name string, text []byte) handoff.Source {
	o := optionsOf(in.App, f)
	o.Kind, o.AllowEmpty, o.Now = in.Kind, in.AllowEmpty, in.Stamp
	o.Project = func() string { return projectName(in.App) }
	o.Carried = record.Carried(func() (*handoff.Store, error) {
		_, s, err := in.NewStore()
		return s, err
	})
	return func(name string, text []byte) handoff.Source { return record.Source(name, text, o) }
}
