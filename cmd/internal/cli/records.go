package cli

import (
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// A Gate holds the flags for credentials.
type Gate struct {
	Redact      bool
	AllowSecret []string
}

// Declare adds the flags.
func (g *Gate) Declare(flags *pflag.FlagSet) {
	flags.BoolVar(&g.Redact, "redact", false, "replace credentials by [redacted:RULE] instead of refusing the text")
	flags.StringArrayVar(&g.AllowSecret, "allow-secret", nil,
		"accept credentials that match this `rule`; audited; can be repeated")
}

// RecordOptions returns the options of every new record. Warnings become notes.
func (a *App) RecordOptions(f Fields) record.Options {
	return record.Options{Head: handoff.Document(f), Rules: schema.Universal(), Redact: a.Gate.Redact,
		Allow: a.Gate.AllowSecret, Warn: func(text string) { a.Note("warning: " + text) }}
}

// ProjectName returns the project for records that name none: the name of the project root.
func (a *App) ProjectName() string {
	p, err := a.Project()
	if err != nil {
		return "" // opening the store returns the error
	}
	return filepath.Base(p.Root)
}

// record returns the source of a record. The record is parsed later, after the store has checked its machine.
func (w *Writing) record(f Fields, name string, text []byte) (handoff.Source, error) {
	o, is := w.records[f.To]
	if !is {
		refs, err := w.Recording.References(w.App, w.Kind == "")
		if err != nil {
			return handoff.Source{}, err
		}
		f.References = append(slices.Clip(f.References), refs...)
		o = w.RecordOptions(f)
		o.Kind, o.AllowEmpty, o.Now, o.Project = w.Kind, w.AllowEmpty, w.stamp, w.ProjectName
		o.Carried = record.Carried(func() (*handoff.Store, error) {
			_, s, err := w.NewStore()
			return s, err
		})
		if w.records == nil {
			w.records = map[string]record.Options{}
		}
		w.records[f.To] = o
	}
	return record.Source(name, text, o), nil
}
