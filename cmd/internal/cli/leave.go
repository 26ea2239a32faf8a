package cli

import (
	"context"
	"os"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// SaveHookDraft saves what the hook of an agent reports on standard input about a session. It does nothing if the
// working directory was removed.
func (a *App) SaveHookDraft(name string) {
	cwd, err := a.Getwd()
	if err != nil {
		return
	}
	if name == "" {
		name = "plain"
	}
	agent.SaveDraft(agent.Session{Agent: name, Parent: os.Getppid(), Cwd: cwd, Stdin: a.Stdin, Stdout: a.Stdout,
		Stderr: a.Stderr, Getenv: a.Getenv, Flags: a.Flags, Options: a.Options, Work: workReference,
		Patience: a.Patience})
}

// workReference returns the reference that records the checked-out commit, or "" if git does not answer soon.
func workReference(p handoff.Project) string {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	reference, err := WorkOf(p).Commit(ctx)
	if err != nil {
		return ""
	}
	return reference
}
