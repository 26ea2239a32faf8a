package cli

import (
	"fmt"

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
	flags.StringVar(&f.To, "to", "", "the `recipient`: an operator, a team, or several as ben,cy")
	flags.Var(value{"string", func() string { return f.Topic }, func(text string) error {
		if f.Topic = handoff.TopicFrom(text); f.Topic == "" {
			return fmt.Errorf("%q has no letter or digit", text)
		}
		return nil
	}, nil}, "topic", "the `topic`, one or a few words (default: from the text)")
	flags.StringVar(&f.Time, "ts", "", "the time, an `instant` in RFC 3339 with Z (default: now)")
	flags.StringArrayVar(&f.Tags, "tag", nil, "a `tag`; can be repeated")
	flags.Func("ref", "a `reference`; can be repeated", func(text string) error {
		f.References = append(f.References, text)
		return checkReferences([]string{text})
	})
}

// checkReferences refuses malformed references, since they would have no effect.
func checkReferences(all []string) error {
	for _, bad := range relation.Of(all).Malformed {
		return Invalid(bad.Hint, "%s %s", fault.Quote(bad.Reference), fault.Own(bad.Problem))
	}
	return nil
}

// Given reports whether any field was given.
func (f *Fields) Given() bool { return len(handoff.Document(*f).Instance()) > 0 }

// Document returns a document with the fields of the flags and a body.
func (f *Fields) Document(body string) handoff.Document {
	doc := handoff.Document(*f)
	doc.SchemaVersion, doc.Body = "1.0", body
	return doc
}
