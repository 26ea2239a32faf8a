package write

import (
	"bytes"
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type writeFlags struct {
	cli.Fields
	cli.Relating
	cli.Recording
	File []string
	*cli.Gate
	*cli.Restore
	*cli.Signing
	Kind              string
	AllowEmpty        []string
	Stdin0, KeepGoing bool
}

func (a *app) write(f *writeFlags, paths []string) error {
	if err := f.Apply(a.App, &f.Fields); err != nil {
		return err
	}
	f.Files = f.File
	in := cli.Input{App: a.App, Fields: f.Fields, At: f.At, Recording: f.Recording, Kind: f.Kind,
		AllowEmpty: f.AllowEmpty}
	sources, err := in.Sources(paths, f.Stdin0)
	if errors.Is(err, cli.ErrBeyond) || err != nil && (!f.KeepGoing || len(sources) == 0) {
		return keepTyped(&in, err)
	}
	err = keepTyped(&in, cli.SameAgain(a.Write(sources, f.KeepGoing, err), in.Took))
	if doc := (*handoff.DocumentError)(nil); in.Headless && errors.As(err, &doc) {
		return cli.WithHint(err, "to store Markdown, add --to NAME, or --to next for whoever works here next")
	}
	return err
}

// keepTyped saves a typed text that could not be stored as a draft, without its credentials, and adds the command that
// stores it to the error.
func keepTyped(in *cli.Input, why error) error {
	if why == nil || len(bytes.TrimSpace(in.Typed)) == 0 {
		return why
	}
	quiet := *in.App
	in.App, quiet.Quiet, quiet.Gate.Redact = &quiet, true, true // the hint says what happened to the credentials
	d := handoff.Draft{Document: handoff.Document(in.Fields), Text: string(in.Typed)}
	_, s, err := in.NewStore()
	if err == nil {
		d, err = s.Sessions().SaveDraft(context.Background(), d)
	}
	switch {
	case err != nil:
		return cli.WithHint(why, "your text is not kept: copy it from the terminal")
	case d.Text != string(in.Typed):
		return cli.WithHint(why, "your text is kept, with a mark for each credential: `handoff draft publish "+d.ID+"`")
	}
	return cli.WithHint(why, "your text is kept; correct the flags: `handoff draft publish "+d.ID+" [flags]`")
}
