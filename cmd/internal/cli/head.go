package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Fields holds the flags for fields of the frontmatter.
type Fields handoff.Document

// Register adds the flags to a command.
func (f *Fields) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.From, "from", "", "the sender, an `operator` (default: you)")
	cmd.Flags().StringVar(&f.To, "to", "", "the `recipient`: an operator, a team, or several as ben,cy")
	cmd.Flags().Var((*topic)(&f.Topic), "topic", "the `topic`, one or a few words (default: from the text)")
	cmd.Flags().StringVar(&f.Time, "ts", "", "the time, an `instant` in RFC 3339 with Z (default: now)")
	Texts(cmd.Flags(), &f.Tags, "tag", "a `tag`")
	cmd.Flags().Var(references{(*texts)(&f.References)}, "ref", "a reference (`text`); can be repeated")
}

// A topic is the value of --topic: a slug, or words that become one.
type topic string

func (t *topic) String() string { return string(*t) }
func (t *topic) Type() string   { return "string" }

func (t *topic) Set(text string) error {
	if *t = topic(handoff.TopicFrom(text)); *t == "" {
		return fmt.Errorf("%q has no letter or digit", text)
	}
	return nil
}

// references holds the values of --ref. A malformed reference is refused, since it would have no effect.
type references struct{ *texts }

func (r references) Set(text string) error {
	if err := checkReferences([]string{text}); err != nil {
		return err
	}
	return r.texts.Set(text)
}

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
