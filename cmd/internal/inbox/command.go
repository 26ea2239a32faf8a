package inbox

import (
	"io"
	"slices"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands returns the command.
func Commands() cli.Commands { return cli.Commands{"inbox": run} }

type flags struct{ *cli.Who }

func run(a *cli.App, f *flags, _ []string) error {
	return Run(a, f.Operator, func(stdin io.Reader, stdout, stderr io.Writer, me, verb, id string) error {
		return a.Again(stdin, stdout, stderr, me,
			slices.DeleteFunc([]string{verb, id}, func(arg string) bool { return arg == "" })...)
	})
}
