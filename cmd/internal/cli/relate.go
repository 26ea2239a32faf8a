package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Relating is what flags say of how a new handoff is related to others and to time.
type Relating struct {
	re, supersedes []string
	expires        string

	At string // the time that Apply has taken for now, "" if it needed none
}

// Register adds the flags to a command.
func (r *Relating) Register(cmd *cobra.Command) {
	Texts(cmd.Flags(), &r.re, "re", "the `handoff` that it answers")
	Texts(cmd.Flags(), &r.supersedes, "supersedes", "the `handoff` whose place it takes")
	cmd.Flags().StringVar(&r.expires, "expires", "", "until when it is of use (`time`, date, or duration such as 7d)")
}

// Apply adds the references. A prefix has to be that of a stored handoff; a whole id may be of one that is not here yet.
func (r *Relating) Apply(a *App, f *Fields) error {
	for _, list := range []struct {
		kind relation.Kind
		ids  []string
	}{{relation.Re, r.re}, {relation.Supersedes, r.supersedes}} {
		for _, id := range list.ids {
			id, err := a.wholeID(id)
			if err != nil {
				return err
			}
			f.References = append(f.References, relation.Form{Kind: list.kind, ID: id}.String())
		}
	}
	if r.expires == "" {
		return nil
	}
	at, err := r.expiry(a, f.Time)
	if err == nil {
		f.References = append(f.References, relation.Form{Kind: relation.Expires, Time: at.UTC().Format(time.RFC3339Nano)}.String())
	}
	return err
}

// wholeID returns the id that a person means.
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

// expiry returns when a handoff of a time expires; "" is now.
func (r *Relating) expiry(a *App, ts string) (at time.Time, err error) {
	if ts == "" {
		r.At = a.UTCNow()
		ts = r.At
	}
	from, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return at, nil // ts_utc is refused for itself
	}
	if at, err = handoff.ParseUntil(r.expires, from); err == nil && !at.After(from) {
		err = Invalid("give a time after that of the handoff, which is "+ts, "--expires %q would be over before it begins", r.expires)
	}
	return at, err
}

// Related says what a handoff answers, takes the place of, and when it expires.
func Related(references []string) string {
	set := relation.Of(references)
	var parts []string
	for _, id := range set.Re {
		parts = append(parts, "answers "+Short(id, Shortest))
	}
	for _, id := range set.Supersedes {
		parts = append(parts, "takes the place of "+Short(id, Shortest))
	}
	if set.Expires != "" {
		parts = append(parts, "expires "+set.Expires)
	}
	return strings.Join(parts, ", ")
}
