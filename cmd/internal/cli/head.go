package cli

import (
	"cmp"
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
	flags.StringVar(&f.From, "from", "", "")
	flags.StringVar(&f.To, "to", "", "")
	flags.Var(value{"string", func() string { return f.Topic }, func(text string) error {
		if f.Topic = handoff.TopicFrom(text); f.Topic == "" {
			return fmt.Errorf("%q has no letter or digit", text)
		}
		return nil
	}}, "topic", "")
	flags.StringVar(&f.Time, "ts", "", "")
	Texts(flags, &f.Tags, "tag", "")
	references := texts(&f.References)
	add := references.set
	references.set = func(text string) error { return cmp.Or(checkReferences([]string{text}), add(text)) }
	flags.Var(references, "ref", "")
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
