package mcp

import (
	"context"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the command.
func Commands() cli.Commands { return cli.Commands{"mcp": (*app).run} }

type flags struct {
	Operator string // acts only for this one
}

func (a *app) run(f *flags, _ []string) error { return Serve(context.Background(), a.App, f.Operator) }
