package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// A Registry gives access to the operators of a store: the operators file and the trusted keys.
type Registry struct{ s *Store }

// Registry returns the operators of the store.
func (s *Store) Registry() Registry { return Registry{s} }

// An AuditLog gives access to the audit log of a store and its signed heads.
type AuditLog struct{ s *Store }

// AuditLog returns the audit log of the store.
func (s *Store) AuditLog() AuditLog { return AuditLog{s} }

// A Lifecycle gives access to the states of handoffs: who took and finished them, and their successors.
type Lifecycle struct{ s *Store }

// Lifecycle returns the states of the handoffs of the store.
func (s *Store) Lifecycle() Lifecycle { return Lifecycle{s} }

// Records gives access to the records that handoffs carry, and to the used resume tokens.
type Records struct{ s *Store }

// Records returns the records of the store.
func (s *Store) Records() Records { return Records{s} }

// Maintenance prepares, recovers and repairs a store.
type Maintenance struct{ s *Store }

// Maintenance returns the maintenance of the store.
func (s *Store) Maintenance() Maintenance { return Maintenance{s} }

// The types of values that a store returns.
type (
	// An OperatorList is a parsed operators file.
	OperatorList = operators.List
	// A Trusted is the record of an operator's trusted keys. Keys are trusted from now on.
	// FirstSight reports that no person decided. By is the operator who did, or "".
	Trusted = eventlog.Trusted
	// A User is the configuration of the user. Dir is its directory, State the directory of the user's data; either is
	// "" if unknown. Operator, Sign and SigningKey are among its settings.
	User = settings.User
	// An Identity is the operator that the program runs for, "" if unknown, with the Source that names it.
	Identity = operators.Identity
)
