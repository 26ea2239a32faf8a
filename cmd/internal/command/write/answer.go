package write

import (
	"cmp"
	"errors"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type answerFlags struct {
	cli.Fields
	cli.Relating
	*cli.Gate
	*cli.Signing
}

func (a *app) reply(f *answerFlags, args []string) error {
	return a.answer(f, args, func(got handoff.Stored, me string) (handoff.Document, string) {
		return handoff.Reply(got.Entry, me), ""
	})
}

func (a *app) supersede(f *answerFlags, args []string) error {
	return a.answer(f, args, func(got handoff.Stored, _ string) (handoff.Document, string) {
		return handoff.Supersede(got.Entry), got.Body
	})
}

// answer stores a handoff about another one. begin returns its fields and the text that the editor starts with.
func (a *app) answer(f *answerFlags, args []string,
	begin func(got handoff.Stored, me string) (handoff.Document, string)) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	got, err := s.Read(args[0])
	if errors.Is(err, handoff.ErrIntegrity) && got.Entry.ID != "" {
		a.Note(err.Error())
		err = nil // a handoff whose file was changed can be replaced: its id is known
	}
	if err != nil {
		return err
	}
	doc, start := begin(got, p.MeOr(f.From))
	if err := f.Apply(a.App, &f.Fields); err != nil {
		return err
	}
	f.From, f.To, f.Topic = cmp.Or(f.From, doc.From), cmp.Or(f.To, doc.To), cmp.Or(f.Topic, doc.Topic)
	f.References = append(doc.References, f.References...)
	if f.From != got.Entry.From && !got.Entry.IsTo(f.From) &&
		strings.HasPrefix(doc.References[0], "supersedes:") {
		a.Note(got.Entry.ID + " is not replaced, since " + f.From +
			" is neither its sender nor its recipient: this is shown as a claim")
	}
	in := cli.Input{App: a.App, Fields: f.Fields, At: f.At}
	sources, err := answerText(&in, args[1:])
	switch {
	case err != nil:
		return err
	case sources != nil:
		return cli.SameAgain(a.Write(sources, false, nil), in.Took)
	case a.Full == nil:
		return cli.ErrBeyond // the full program has the editor
	}
	return a.Full.Compose(a.App, f.Fields, f.At, start)
}

// answerText returns the sources of the text in a file, or of the piped text. They are nil if there is neither.
func answerText(in *cli.Input, files []string) ([]handoff.Source, error) {
	if len(files) == 0 {
		return in.Piped()
	}
	name, text, err := in.ReadNamed(files[0])
	if err != nil {
		return nil, err
	}
	return in.Text(name, text)
}
