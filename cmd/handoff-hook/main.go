// Command handoff-hook is what installers register as the session-start hook of a coding agent:
//
//	handoff-hook session-start --agent NAME [--to OPERATOR] [--bodies]
//
// It does what `handoff hook session-start` does and starts faster. It always exits with 0. It changes no
// handoff: that a session was told of some is recorded, if that is possible at once.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/seed-78daf238/handoff/lib/agent"
)

func main() {
	s, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "handoff-hook: "+err.Error())
		return
	}
	if s.Cwd, err = os.Getwd(); err != nil {
		return // a session in a directory that is gone has no project
	}
	s.Stdin, s.Stdout, s.Stderr, s.Getenv = os.Stdin, os.Stdout, os.Stderr, os.Getenv
	agent.SessionStart(s)
}

// parse reads the few flags without a flag library.
func parse(args []string) (agent.Session, error) {
	s := agent.Session{Agent: "plain"}
	if len(args) == 0 || args[0] != "session-start" {
		return s, fmt.Errorf("usage: handoff-hook session-start --agent %s [--to OPERATOR] [--bodies]", strings.Join(agent.Names(), "|"))
	}
	values := map[string]*string{"--agent": &s.Agent, "--to": &s.To, "--handoffs-dir": &s.Flags.HandoffsDir, "--root": &s.Flags.Root}
	for args = args[1:]; len(args) > 0; args = args[1:] {
		name, value, joined := strings.Cut(args[0], "=")
		target, known := values[name]
		switch {
		case args[0] == "--bodies":
			s.Bodies = true
		case known && joined:
			*target = value
		case known && len(args) > 1:
			*target = args[1]
			args = args[1:]
		default:
			return s, fmt.Errorf("unknown argument %q", args[0])
		}
	}
	return s, nil
}
