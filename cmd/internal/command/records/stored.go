package records

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// Stored returns a function that makes sources from the records of one run.
func Stored(in *cli.Input, f cli.Fields) func(name string, text []byte) handoff.Source {
	o := record.Options{
		Kind: in.Kind, AllowEmpty: in.AllowEmpty, Rules: schema.Universal(),
		Head:   handoff.Document(f),
		Redact: in.Gate.Redact, Allow: in.Gate.AllowSecret,
		Carried: record.Carried(func() (*handoff.Store, error) {
			_, s, err := in.NewStore()
			return s, err
		}), Project: in.ProjectName, Now: in.Stamp,
		Warn: func(text string) { in.Note("warning: " + text) },
	}
	return func(name string, text []byte) handoff.Source { return record.Source(name, text, o) }
}
