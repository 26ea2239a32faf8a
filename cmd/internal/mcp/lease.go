package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// leases has the operators for whom the server has taken handoffs. As long as the server runs, it renews their leases:
// no hook may run in its session.
type leases struct {
	mu        sync.Mutex
	operators map[string]bool
}

// hold adds what was taken. A session that only this server knows is recorded with it: if the server dies, others can
// take over. The record is best effort, since the lease ends anyway.
func (p project) hold(ctx context.Context, s *handoff.Store, operator string) {
	p.leases.mu.Lock()
	defer p.leases.mu.Unlock()
	p.leases.operators[operator] = true
	if p.isAlone {
		_ = s.Sessions().Run(ctx, agentName, p.session, false)
	}
}

// agentName stands for the agent of a session that only its server knows.
const agentName = "mcp"

// renewEvery is the time between two looks at the leases. It is far below half of any useful lease.
const renewEvery = 5 * time.Minute

// keepLeases renews the leases until ctx ends.
func (p project) keepLeases(ctx context.Context, tick <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			p.renew(ctx)
		}
	}
}

// renew renews the leases that are due. One that cannot be renewed is tried again at the next tick.
func (p project) renew(ctx context.Context) {
	p.leases.mu.Lock()
	defer p.leases.mu.Unlock()
	if len(p.leases.operators) == 0 {
		return
	}
	_, s, err := p.open()
	if err != nil {
		return
	}
	for operator := range p.leases.operators {
		if next, err := s.Sessions().Renew(ctx, operator, p.session); err == nil && next.IsZero() {
			delete(p.leases.operators, operator) // all is done or released
			if p.isAlone {
				_ = s.Sessions().Run(ctx, agentName, p.session, true)
			}
		}
	}
}
