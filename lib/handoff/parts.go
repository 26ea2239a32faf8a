package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// A Registry is what a store knows about operators: the operators file of the project, and whose keys count.
type Registry struct{ s *Store }

// Registry returns what the store knows about operators.
func (s *Store) Registry() Registry { return Registry{s} }

// An AuditLog is the audit log of a store, and the checkpoints that were signed for it.
type AuditLog struct{ s *Store }

// AuditLog returns the audit log of the store.
func (s *Store) AuditLog() AuditLog { return AuditLog{s} }

// A Lifecycle says what has become of handoffs: who has taken, ended or approved them, and what has replaced them.
type Lifecycle struct{ s *Store }

// Lifecycle returns what has become of the handoffs of the store.
func (s *Store) Lifecycle() Lifecycle { return Lifecycle{s} }

// Records are the records that handoffs carry, and the resume tokens that were used.
type Records struct{ s *Store }

// Records returns the records of the store.
func (s *Store) Records() Records { return Records{s} }

// Sessions are the sessions of agents at a store: what they were told of, and the drafts that they have left.
type Sessions struct{ s *Store }

// Sessions returns the sessions of agents at the store.
func (s *Store) Sessions() Sessions { return Sessions{s} }

// Maintenance prepares a store, recovers and repairs it.
type Maintenance struct{ s *Store }

// Maintenance returns what prepares, recovers and repairs the store.
func (s *Store) Maintenance() Maintenance { return Maintenance{s} }

// An Exchange is the side of a store that packages exchange and bundle speak to: what others have sent is judged and
// taken over by it, and what they may have is read from it.
type Exchange struct{ s *Store }

// Exchange returns the side of the store that exchanges with others.
func (s *Store) Exchange() Exchange { return Exchange{s} }

// The types of what a store returns, so that importers can name them.
type (
	Dir          = disk.Dir
	OperatorList = operators.List
	Evidence     = operators.Evidence
	Trusted      = eventlog.Trusted
	Subject      = life.Subject
	User         = settings.User
	Identity     = operators.Identity
)
