package everyday

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Fields are the flags that make a frontmatter, as far as they are given.
type Fields handoff.Document

// Register adds the flags to a command.
func (f *Fields) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.From, "from", "", "who hands over (`operator`)")
	cmd.Flags().StringVar(&f.To, "to", "", "who takes over (`operator`)")
	cmd.Flags().StringVar(&f.Topic, "topic", "", "the `topic` that it is about, a slug")
	cmd.Flags().StringVar(&f.Time, "ts", "", "the `instant`, RFC 3339 with Z (default now)")
	Texts(cmd.Flags(), &f.Tags, "tag", "a `tag`, a slug")
	Texts(cmd.Flags(), &f.References, "ref", "a reference (`text`)")
}

func (f *Fields) given() bool { return len(handoff.Document(*f).Instance()) > 0 }

// Document returns the document of the flags and a body.
func (f *Fields) Document(body string) handoff.Document {
	doc := handoff.Document(*f)
	doc.SchemaVersion, doc.Body = "1.0", body
	return doc
}
