package cli

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/kind"
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

// RecordOptions returns the options of every new record. Warnings become notes. now is the time, RFC 3339 with Z.
func (a *App) RecordOptions(f Fields, now string) handoff.RecordOptions {
	o := handoff.RecordOptions{Head: handoff.Document(f), Redact: a.Gate.Redact, Allow: a.Gate.AllowSecret,
		Warn: func(text string) { a.Note("warning: " + text) }}
	o.Now, o.At = cmp.Or(f.Time, now), a.Now()
	p, err := a.Project()
	if err != nil {
		return o // opening the store returns the error
	}
	o.Project, o.Root, o.Me = filepath.Base(p.Root), filepath.ToSlash(p.Root), cmp.Or(p.Me(), f.From)
	o.Store = func() (*handoff.Store, error) {
		_, s, err := a.NewStore()
		return s, err
	}
	o.Skills = a.listedOperators() == nil
	return o
}

// record returns the source of a record. The record is parsed later, after the store has checked its machine.
func (w *Writing) record(f Fields, name string, text []byte) (handoff.Source, error) {
	refs, err := w.Recording.References(w.App, w.Kind == "")
	if err != nil {
		return handoff.Source{}, err
	}
	f.References = append(slices.Clip(f.References), refs...)
	o := w.RecordOptions(f, w.stamp())
	o.Kind, o.AllowEmpty = w.Kind, w.AllowEmpty
	return handoff.RecordSource(name, text, o), kind.CheckAllowEmpty(w.AllowEmpty)
}
