package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Relating holds the flags for references of a new handoff.
type Relating struct {
	Re, Supersedes []string
	Expires        string
}

// Declare adds the flags.
func (r *Relating) Declare(flags *pflag.FlagSet) {
	flags.StringArrayVar(&r.Re, "re", nil, "the `handoff` that it answers; can be repeated")
	flags.StringArrayVar(&r.Supersedes, "supersedes", nil, "the `handoff` that it replaces; can be repeated")
	flags.StringVar(&r.Expires, "expires", "", "hide it from this `time` on: 7d, 2026-12-01")
}

// Apply completes the fields and adds the references. A prefix must match a stored handoff; the handoff of a whole id
// need not be stored here.
func (r *Relating) Apply(a *App, f *Fields) error {
	if err := f.complete(a); err != nil {
		return err
	}
	r.Supersedes = strings.FieldsFunc(strings.Join(r.Supersedes, ","), func(c rune) bool { return c == ',' })
	for i, id := range r.Related() {
		id, err := a.wholeID(id)
		if err != nil {
			return err
		}
		kind := relation.Re
		if i >= len(r.Re) {
			kind = relation.Supersedes
		}
		f.References = append(f.References, relation.Form{Kind: kind, ID: id}.String())
	}
	if r.Expires == "" {
		return nil
	}
	at, err := r.expiry(a, f.Time)
	if err == nil {
		f.References = append(f.References,
			relation.Form{Kind: relation.Expires, Time: at.UTC().Format(time.RFC3339Nano)}.String())
	}
	return err
}

// Related returns the ids of what the handoff answers, then of what it replaces.
func (r *Relating) Related() []string { return slices.Concat(r.Re, r.Supersedes) }

// replaceOlder looks for open handoffs that were written from the same files, by the same sender to the same recipient.
// At a terminal the user decides whether the new ones replace them, otherwise a note names them.
func (w *Writing) replaceOlder(sources []handoff.Source) {
	isOf := func(src handoff.Source) bool { return src.File != "" && src.Given != nil }
	if w.about != nil || !slices.ContainsFunc(sources, isOf) {
		return
	}
	fromFiles := w.store.Lifecycle().FromFiles()
	for _, src := range sources {
		doc, err := handoff.Parse(src, handoff.PlainRules, w.project.Options.MaxDocumentBytes)
		if err != nil || !isOf(src) || doc.HandoffID != "" {
			continue
		}
		older := slices.DeleteFunc(slices.Clone(fromFiles[src.File]), func(old handoff.Entry) bool {
			return old.From != doc.From || old.To != doc.To
		})
		if len(older) > 0 {
			w.askToReplace(older, src.Given)
		}
	}
}

func (w *Writing) askToReplace(older []handoff.Entry, given *handoff.Document) {
	names := strings.Join(w.Names(w.store, older), ", ")
	if !w.CanAsk() || w.Quiet {
		ids := make([]string, len(older))
		for i, old := range older {
			ids[i] = Short(old.ID, Shortest)
		}
		w.Note("from the same file: " + names + "; to replace it, add --supersedes " + strings.Join(ids, ","))
		return
	}
	answer, err := w.Ask("replaces " + names + "? [Y/n] ")
	if err != nil || strings.HasPrefix(strings.ToLower(answer), "n") {
		return
	}
	for _, old := range older {
		given.References = append(slices.Clip(given.References),
			relation.Form{Kind: relation.Supersedes, ID: old.ID}.String())
	}
}

// wholeID completes an id.
func (a *App) wholeID(id string) (string, error) {
	whole := "sha256:" + strings.TrimPrefix(id, "sha256:")
	if relation.IsID(whole) {
		return whole, nil
	}
	s, err := a.Store()
	if err != nil {
		return "", err
	}
	e, err := s.Find(id)
	return e.ID, err
}

// expiry returns when a handoff with the time ts expires. ts "" is now.
func (r *Relating) expiry(a *App, ts string) (at time.Time, err error) {
	if ts == "" {
		ts = a.UTCNow()
	}
	from, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return at, nil // ts is refused later
	}
	at, err = handoff.ParseUntil(r.Expires, from)
	switch {
	case err != nil:
		err = fmt.Errorf("--expires: %w", err)
	case !at.After(from):
		err = Invalid("use a time after that of the handoff, "+ts, "--expires: %q is before the time of the handoff",
			r.Expires)
	}
	return at, err
}
