package mcp

import (
	"context"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands has the command.
var Commands = cli.Commands{"mcp": cli.Of(run)}

type flags struct {
	Operator string // acts only for this one
}

func run(a *cli.App, f *flags, _ []string) error { return Serve(context.Background(), a, f.Operator) }
