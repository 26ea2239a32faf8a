// Package mcp serves the handoffs of a project to a coding agent over the Model Context Protocol, on standard
// input and output.
//
// The tools take the arguments of the commands that they are named for, and hold to the same rules. What
// others wrote appears in results alone, inside a frame.
package mcp

import (
	"context"
	"errors"
	"io"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Serve serves the project of a run until its input ends.
func Serve(ctx context.Context, a *everyday.App) error {
	if ctx == nil {
		ctx = context.Background()
	}
	err := newServer(project{App: a}).Run(ctx, &mcp.StdioTransport{})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// A project is where the server was started. It is looked at for each call anew: settings change.
type project struct {
	*everyday.App
	lost func(error) // is told why not all handoffs can be listed; nil is nobody
}

func (p project) open() (handoff.Project, *handoff.Store, error) {
	found, err := p.Project()
	if err != nil {
		return found, nil, err
	}
	found.Options.Lost = p.lost
	s, err := handoff.Open(found.Options)
	return found, s, err
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(unknown)"
}
