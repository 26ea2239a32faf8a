package cli

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Fields holds the flags for fields of the frontmatter.
type Fields handoff.Document

// Declare adds the flags.
func (f *Fields) Declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.From, "from", "", "the sender, an `operator` (default: you)")
	flags.StringVar(&f.To, "to", "", "`name` of the recipient: a person, an agent, a team, several as ben,cy, or next "+
		"for whoever works here next")
	flags.StringVar(&f.Topic, "topic", "", "the `topic`, one or a few words (default: from the text)")
	flags.StringVar(&f.Time, "ts", "", "the `time` (default: now)")
	flags.StringArrayVar(&f.Tags, "tag", nil, "a `tag`; can be repeated")
	flags.StringArrayVar(&f.References, "ref", nil, "a `reference`; can be repeated")
}

// complete checks the values of the flags, and brings topic and time into their forms.
func (f *Fields) complete(a *App) error {
	if f.Topic != "" {
		topic := handoff.TopicFrom(f.Topic)
		switch {
		case topic == "":
			return Invalid("use a few words", "--topic: %q has no letter or digit", f.Topic)
		case topic != f.Topic:
			a.Note("the topic is " + topic)
		}
		f.Topic = topic
	}
	if _, err := time.Parse(time.RFC3339, f.Time); f.Time != "" && err != nil && !strings.Contains(f.Time, "T") {
		at, err := handoff.ParseSince(f.Time, a.Now())
		if err != nil {
			return Invalid("use yesterday, 7d, 48h or 2026-05-07", "--ts: %q is not a time", f.Time)
		}
		f.Time = at.UTC().Format(time.RFC3339)
	}
	return checkReferences(f.References)
}

// Name returns the name that a user typed, without the @ of @ben.
func Name(typed string) string {
	if name := strings.TrimPrefix(typed, "@"); name != "" {
		return name
	}
	return typed
}

// checkReferences refuses malformed references, since they would have no effect.
func checkReferences(all []string) error {
	for _, bad := range relation.Of(all).Malformed {
		return Invalid(bad.Hint, "%s %s", fault.Quote(bad.Reference), fault.Own(bad.Problem))
	}
	return nil
}
