package write

import (
	"cmp"
	"errors"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command/records"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type answerFlags struct {
	cli.Fields
	cli.Relating
	*cli.Gate
	*cli.Signing
	AllowEmpty []string
}

func reply(a *cli.App, f *answerFlags, args []string) error { return answer(a, f, args, true) }

func supersede(a *cli.App, f *answerFlags, args []string) error { return answer(a, f, args, false) }

// answer stores a reply to a handoff, or its successor. If the file of the handoff was changed, the changed text is the
// successor, unless another one is given.
func answer(a *cli.App, f *answerFlags, args []string, isReply bool) error {
	p, s, err := a.ProjectStore()
	if err == nil && isReply && args[0] == "@" {
		args[0], err = a.Taken(s, p.MeOr(f.From), a.SessionID())
	}
	if err != nil {
		return err
	}
	got, err := s.Read(args[0])
	isChanged := errors.Is(err, handoff.ErrIntegrity) && got.Entry.ID != ""
	var notes []string
	if isChanged {
		notes = append(notes, err.Error())
	} else if err != nil {
		return err
	}
	doc, start := handoff.Supersede(got.Entry), got.Body
	if isReply {
		doc, start = handoff.Reply(got.Entry, p.MeOr(f.From)), ""
	}
	if err := f.Apply(a, &f.Fields); err != nil {
		return err
	}
	f.From, f.To, f.Topic = cmp.Or(f.From, doc.From), cmp.Or(f.To, doc.To), cmp.Or(f.Topic, doc.Topic)
	f.References = append(doc.References, f.References...)
	if f.From != got.Entry.From && !got.Entry.IsTo(f.From) && !isReply {
		notes = append(notes, got.Entry.ID+" is not replaced, since "+f.From+
			" is neither its sender nor its recipient: this is shown as a claim")
	}
	in := cli.Input{App: a, Fields: f.Fields, At: f.At, AllowEmpty: f.AllowEmpty}
	changed := handoff.Stored{}
	if isChanged && !isReply {
		changed = got
	}
	sources, err := answerText(&in, args[1:], changed)
	if err != nil {
		return in.Kept(err)
	}
	for _, note := range notes {
		a.Note(note)
	}
	if sources != nil {
		return in.Kept(cli.SameAgain(a.Write(sources), in.Took))
	}
	return records.Compose(a, f.Fields, f.At, start)
}

// answerText returns the sources of the text in a file, otherwise of the piped text, otherwise of the changed handoff.
// Without any of the three, it returns nil: the answer is written in the editor.
func answerText(in *cli.Input, files []string, changed handoff.Stored) (sources []handoff.Source, err error) {
	name, text := changed.Entry.File, []byte(changed.Body)
	if len(files) > 0 {
		name, text, err = in.ReadNamed(files[0])
	} else if sources, err = in.Piped(); sources != nil {
		return sources, nil
	}
	if err != nil || name == "" {
		return nil, err
	}
	return in.Text(name, text)
}
