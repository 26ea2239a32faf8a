// Package mcp serves the handoffs of a project to a coding agent over the Model Context Protocol, on standard
// input and output.
//
// The tools take the arguments of the commands of the same name, and follow the same rules. Text from others
// appears only in results, in a frame. Other text in a result uses names of tools and arguments, never of flags.
package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Serve serves the project of a run until its input ends. With an operator, it acts only for that one.
func Serve(ctx context.Context, a *cli.App, operator string) error {
	if ctx == nil {
		ctx = context.Background()
	}
	p := project{App: a, pinned: operator, session: cmp.Or(a.SessionID(), "mcp-"+strings.ToLower(rand.Text()[:10]))}
	p.isAlone = a.SessionID() == ""
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

// A project is the project of the server. It is loaded again for each call, since settings can change.
type project struct {
	*cli.App
	pinned string // the only operator it acts for; "": the one that a call names
	// the agent session that it acts for: the one of the environment, otherwise one of this process
	session string
	isAlone bool // only this process knows the session
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

func (p project) open() (handoff.Project, *handoff.Store, error) {
	found, err := p.Project()
	if err != nil {
		return found, nil, err
	}
	s, err := handoff.Open(found.Options)
	return found, s, err
}

// openAs is open for what an operator does.
func (p project) openAs(operator string) (found handoff.Project, s *handoff.Store, who handoff.Who,
	err error) {
	if found, s, err = p.open(); err == nil {
		who.Session = p.session
		who.Operator, err = p.acting(found, "operator", operator)
	}
	return found, s, who, err
}
