package write

import (
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
	*cli.Signing
	Kind       string
	AllowEmpty []string
}

func write(a *cli.App, f *writeFlags, paths []string) error {
	if err := f.Apply(a, &f.Fields); err != nil {
		return err
	}
	f.Files = f.File
	in := cli.Input{App: a, Fields: f.Fields, At: f.At, Recording: f.Recording, Kind: f.Kind,
		AllowEmpty: f.AllowEmpty}
	sources, err := in.Sources(paths)
	if err != nil {
		return in.Kept(err)
	}
	err = in.Kept(cli.SameAgain(a.Write(sources), in.Took))
	if _, is := errors.AsType[*handoff.DocumentError](err); is && in.Headless {
		return cli.WithHint(err, "to store Markdown, add --to NAME, or --to next for whoever works here next")
	}
	return err
}
