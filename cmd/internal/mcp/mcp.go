// Package mcp serves the handoffs of a project to a coding agent over the Model Context Protocol, on standard
// input and output.
//
// The tools take the arguments of the commands of the same name, and follow the same rules. Text from others
// appears only in results, in a frame. Other text in a result uses names of tools and arguments, never of flags.
package mcp

//lint:file-ignore SA1019 the clients of today tell their roots; the protocol keeps them for a year at least

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Serve serves the project of a run until its input ends. With an operator, it acts only for that one.
func Serve(ctx context.Context, a *cli.App, operator string) error {
	p := project{App: a, pinned: operator, session: "mcp-" + strings.ToLower(rand.Text()[:10])}
	if operator != "" {
		if err := handoff.CheckOperator(operator); err != nil {
			return err
		}
		here := *a
		here.Getenv = cli.As(operator, a.Getenv)
		p.App = &here
	}
	err := newServer(p).Run(ctx, &mcp.IOTransport{Reader: p.messages(a.Stdin), Writer: writer{a.Stdout}})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// A writer is an output that stays open.
type writer struct{ io.Writer }

func (writer) Close() error { return nil }

// messages returns the lines of r that are JSON-RPC messages. Another line, such as one of a log, would
// end the server, and the session would lose all tools.
func (p project) messages(r io.Reader) io.ReadCloser {
	messages, in := io.Pipe()
	go func() {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, mcp.DefaultMaxLineLength)
		for lines.Scan() {
			line := lines.Bytes()
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				p.Note("skipped a line that is not a JSON-RPC message")
			} else if _, err := fmt.Fprintf(in, "%s\n", line); err != nil {
				return // the server has ended
			}
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = errors.New("a message has more than 16 MiB")
		}
		in.CloseWithError(err)
	}()
	return messages
}

// A project is the project of a call. It is loaded for each call, since settings can change.
type project struct {
	*cli.App
	pinned  string // the only operator it acts for; "": the one that a call names
	session string // the one that it acts for
	isNamed bool   // an agent names it, otherwise this process is the session
}

// patience is how long a call waits for the remote.
const patience = 5 * time.Second

// of returns the project for a call: that of the session which the agent names (Codex names the thread, as its shell
// does), else of the agent that runs the server. Hooks may name that one after the server has started. Its notes go to
// noted.
func (p project) of(call *mcp.CallToolRequest, noted io.Writer) project {
	p.App = p.Noting(noted)
	thread, _ := call.Params.Meta["threadId"].(string)
	self := agent.Identify(agent.Caller{Getenv: p.Getenv, Parent: os.Getppid(), Session: memory.Name(thread)})
	if named := cmp.Or(p.Session.Session, self.Session); named != "" {
		p.session, p.isNamed = named, true
	}
	return p
}

// roots is the name of the question for the directories that the client works in.
const roots = "roots"

// find returns the project of a call: that of the directory of the process, else that of a root of the client. asks is
// a question to the client that has to be answered first, nil if there is none.
func (p project) find(call *mcp.CallToolRequest) (found project, asks mcp.InputRequestMap, err error) {
	loaded, err := p.Project()
	if err != nil {
		return p, nil, err
	}
	if loaded.Exists() == nil {
		return p, nil, nil
	}
	answer, isAnswered := call.Params.InputResponses[roots].(*mcp.ListRootsResult)
	if !isAnswered && hasRoots(call) {
		return p, mcp.InputRequestMap{roots: &mcp.ListRootsParams{}}, nil
	}
	if isAnswered {
		for _, root := range answer.Roots {
			here := p.In(agent.LocalPath(root.URI))
			if loaded, err := here.Project(); err == nil && loaded.Exists() == nil {
				p.App = here
				return p, nil, nil
			}
		}
	}
	return p, nil, fault.Invalid("ask the user to start the agent in a project, or to run handoff init there",
		"no handoffs here: no directory of this session is in a project")
}

// hasRoots reports whether the client of a call tells its directories.
func hasRoots(call *mcp.CallToolRequest) bool {
	about := call.Session.InitializeParams()
	return about != nil && about.Capabilities != nil && about.Capabilities.RootsV2 != nil
}

// acting returns the operator of a call: the one in its argument, else that of the server.
func (p project) acting(found handoff.Project, argument, named string) (string, error) {
	switch {
	case named == "":
		named = found.Me()
	case p.pinned != "" && named != p.pinned:
		return "", fault.Denied("omit "+argument,
			"this server acts only for %s", fault.Own(p.pinned))
	}
	if named == "" {
		return "", unknownOperator(argument)
	}
	return named, nil
}

// unknownOperator returns the error for a call of nobody. Some agents pass no environment to the server.
func unknownOperator(argument string) error {
	return fault.Invalid(
		"add "+argument+", or ask the user to set HANDOFF_OPERATOR for this server in the "+
			"settings of the agent", "no %s: the server has no operator", fault.Own(argument))
}

// openAs opens the store for what an operator does. It asks the remote of a store that has synced, unless offline.
func (p project) openAs(operator string, offline bool) (found handoff.Project, s *handoff.Store, who handoff.Who,
	err error) {
	here := *p.App
	here.Session.Offline = offline
	if found, s, err = here.ProjectStore(); err == nil {
		if who.Session = p.session; !p.isNamed {
			agent.Begin(p.session, p.Getenv)
		}
		who.Operator, err = p.acting(found, "operator", operator)
	}
	return found, s, who, err
}
