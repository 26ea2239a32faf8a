// Command handoff-mcp serves the handoffs of a project to a coding agent over the Model Context Protocol, on
// standard input and output. `handoff mcp` runs it; it is a program of its own so that no other has to
// link the protocol.
//
// The tools take the arguments of the commands that they are named for, and hold to the same rules. What
// others wrote appears in results alone, inside a frame.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

func main() {
	flags, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "handoff-mcp: "+handoff.EscapeLine(err.Error()))
		os.Exit(exitCode(handoff.ErrInvalid))
	}
	s := newServer(project{flags, os.Getenv, os.Getwd})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "handoff-mcp: "+handoff.EscapeLine(err.Error()))
		os.Exit(1)
	}
}

func parse(args []string) (handoff.ProjectFlags, error) {
	var p handoff.ProjectFlags
	f := flag.NewFlagSet("handoff-mcp", flag.ContinueOnError)
	f.StringVar(&p.HandoffsDir, "handoffs-dir", "", "the handoffs `directory`")
	f.StringVar(&p.StateDir, "state-dir", "", "the state `directory`")
	f.StringVar(&p.Root, "root", "", "the project root `directory`")
	f.StringVar(&p.OperatorsFile, "operators-file", "", "the operators `file`")
	f.DurationVar(&p.LockTimeout, "lock-timeout", 0, "how long to wait for the lock")
	f.SetOutput(os.Stderr)
	err := f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unknown argument %q", f.Arg(0))
	}
	return p, err
}

// A project is where the server was started. It is looked at for each call anew: settings change.
type project struct {
	flags  handoff.ProjectFlags
	getenv func(string) string
	getwd  func() (string, error)
}

func (p project) open() (handoff.Project, *handoff.Store, error) {
	cwd, err := p.getwd()
	if err != nil {
		return handoff.Project{}, nil, &handoff.Error{Class: handoff.ErrConfig, Problem: "the current directory cannot be used: " + err.Error(), Cause: err}
	}
	found, err := handoff.LoadProject(cwd, p.getenv, p.flags)
	if err != nil {
		return found, nil, err
	}
	found.Options.Rules = schema.Frontmatter()
	found.Options.Warn = func(text string) { fmt.Fprintln(os.Stderr, "handoff-mcp: "+handoff.EscapeLine(text)) }
	store, err := handoff.Open(found.Options)
	return found, store, err
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(unknown)"
}
