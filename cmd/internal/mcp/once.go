package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// onceWait is the time for the remote to answer. The model waits for the call.
const onceWait = 5 * time.Second

// openAs is open for what an operator does, also for actions that only one of all clones can do. The server runs
// outside of the agent's sandbox, so it can ask the remote.
func (p project) openAs(operator string, offline bool) (found handoff.Project, s *handoff.Store,
	who handoff.Consumption, err error) {
	found, s, err = p.openWith(func(found *handoff.Project) {
		found.Options.Offline = offline
		found.Options.Once = within(onceWait, exchange.Once(p.Remote(*found)))
	})
	if err == nil {
		who.Session = p.session
		who.Operator, err = p.acting(found, "operator", operator)
	}
	return found, s, who, err
}

// within limits the time for the remote to answer.
func within(wait time.Duration, once handoff.Once) handoff.Once {
	return func(ctx context.Context, s *handoff.Store, want []handoff.Consumption,
		do func([]handoff.Consumption) error) error {
		limited, stop := context.WithTimeout(ctx, wait)
		defer stop()
		err := once(limited, s, want, do)
		if err == nil || errors.As(err, new(*handoff.LostError)) {
			return err
		}
		problem := "the remote cannot be asked"
		if limited.Err() != nil && ctx.Err() == nil {
			problem = "the remote did not answer within " + wait.String()
		}
		return fault.New(fault.Class(err), "try again, or add offline: true: the next sync reports a conflict",
			"%s: %v", fault.Own(problem), err)
	}
}
