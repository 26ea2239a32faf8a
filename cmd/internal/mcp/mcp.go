// Package mcp serves the handoffs of a project to a coding agent over the Model Context Protocol, on standard
// input and output.
//
// The tools take the arguments of the commands that they are named for, and hold to the same rules. What
// others wrote appears in results alone, inside a frame. What our own words say in a result names tools and arguments,
// never flags, and the project by the base name of its root.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Serve serves the project of a run until its input ends. With an operator it acts for that one alone.
func Serve(ctx context.Context, a *cli.App, operator string) error {
	if ctx == nil {
		ctx = context.Background()
	}
	p := project{App: a, pinned: operator}
	if operator != "" {
		if err := handoff.CheckOperator(operator); err != nil {
			return err
		}
		here, getenv := *a, a.Getenv
		here.Getenv = func(name string) string {
			if name == "HANDOFF_OPERATOR" { // which counts before all else that says who the server runs for
				return operator
			}
			return getenv(name)
		}
		p.App = &here
	}
	err := newServer(p).Run(ctx, &mcp.StdioTransport{})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// A project is where the server was started. It is looked at for each call anew: settings change.
type project struct {
	*cli.App
	lost   func(error) // is told why not all handoffs can be listed; nil is nobody
	pinned string      // for whom alone it acts; "" is for whomever a call names
}

// acting returns for whom a call acts: who is named in an argument, else who the server runs for.
func (p project) acting(found handoff.Project, argument, named string) (string, error) {
	switch {
	case named == "":
		named = found.Me()
	case p.pinned != "" && named != p.pinned:
		return "", fault.New(fault.ErrDenied, "leave "+argument+" out",
			"this server acts for %s alone", fault.Own(p.pinned))
	}
	if named == "" {
		return "", fault.New(fault.ErrInvalid, "give "+argument,
			"no %s: nobody said who this server runs for", fault.Own(argument))
	}
	return named, nil
}

func (p project) open() (handoff.Project, *handoff.Store, error) {
	found, err := p.Project()
	if err != nil {
		return found, nil, err
	}
	found.Options.Lost = p.lost
	p.Gather(&found)
	s, err := handoff.Open(found.Options)
	return found, s, err
}

const maxLabel = 40 // bytes

// label is the base name of the project's root, which others may have chosen: one that could speak is cut and its other
// characters are left out.
func (p project) label() string {
	found, err := p.Project()
	if err != nil {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, filepath.Base(found.Root))
	return name[:min(len(name), maxLabel)]
}

func (p project) about(next string) about { return about{Project: p.label(), Next: next} }

// named is the line that says which project a text is about.
func (p project) named() string {
	if name := p.label(); name != "" {
		return fmt.Sprintf("Project: %q\n", name)
	}
	return ""
}
