package handoff

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Maintenance prepares and repairs a store.
type Maintenance struct{ s *Store }

// Maintenance returns the maintenance of the store.
func (s *Store) Maintenance() Maintenance { return Maintenance{s} }

// Init prepares the project of the store: both directories, .handoff.yaml, and the files that tell git what to ignore.
// kind is how the store uses git; "" means what the settings say. Existing files stay. Only a new kind replaces what
// another kind needed.
//
// done says what Init did; that is on disk. Init can be repeated after any error and then completes the work. Errors
// are ErrConfig.
func (m Maintenance) Init(kind Git) (done []string, err error) { return m.s.at.Init(kind) }

// IsOurs reports whether the store is of this machine and has its log, so that it can be changed.
func (m Maintenance) IsOurs() bool {
	record, observed, err := m.Machine()
	return err == nil && (record.Fingerprint == "" || record.Knows(observed)) && !m.s.AuditLog().IsMissing()
}

// Ready checks the machine and the directories before long work that precedes a write. Write checks them again.
// Errors are ErrIntegrity and ErrConfig.
func (m Maintenance) Ready() error { return cmp.Or(m.s.at.Guard(), m.s.at.CheckPlaces()) }

// Machine returns the recorded machine of the store and the fingerprint of this machine. A store without a record has
// the zero record.
func (m Maintenance) Machine() (recorded MachineRecord, observed string, err error) {
	if observed, err = m.s.at.Fingerprint(); err != nil {
		return MachineRecord{}, "", err
	}
	recorded, err = m.s.at.Machine()
	return recorded, observed, err
}

// Regenerate moves the store to this machine, and records the operator and the reason. With add, the machines that it
// had can change it too, as when a host and a container share it.
func (m Maintenance) Regenerate(ctx context.Context, operator, reason string, add bool) (MachineRecord, error) {
	if strings.TrimSpace(reason) == "" {
		return MachineRecord{}, fault.Invalid("add --reason TEXT for the audit log", "no reason")
	}
	if err := cmp.Or(checkOperator(operator), CheckReason(reason)); err != nil {
		return MachineRecord{}, err
	}
	record, err := m.s.at.Regenerate(ctx, operator, reason, add)
	return record, fault.Unpublished(err)
}

// Verify compares documents and log: it proves each document by its id, and checks the hash chain, missing files, the
// machine, and what git tracks. With ids it checks only these handoffs and the chain. It takes no lock and changes
// nothing.
func (s *Store) Verify(ctx context.Context, ids ...string) (Report, error) {
	entries, err := s.FindEach(ids)
	if err != nil {
		return Report{}, err
	}
	return check.Verify(ctx, s.at, idsOf(entries))
}

// Repair repairs what Verify finds, without throwing anything away: what it cuts or moves aside is kept. It can be
// interrupted and run again at any time.
func (m Maintenance) Repair(ctx context.Context) (RepairReport, error) {
	return check.Repair(ctx, m.s.at)
}

// An AuditLog gives access to the audit log of a store.
type AuditLog struct{ s *Store }

// AuditLog returns the audit log of the store.
func (s *Store) AuditLog() AuditLog { return AuditLog{s} }

// Head returns the number of lines in the audit log and the hash of the last one.
func (l AuditLog) Head(ctx context.Context) (Head, error) { return check.CheckLog(ctx, l.s.at, nil) }

// Check returns nil if the chain of the audit log is whole and, if expect is not nil, contains everything that it
// contained then. Otherwise the error is ErrIntegrity and names the first line that is known to be bad.
func (l AuditLog) Check(ctx context.Context, expect *Head) error {
	_, err := check.CheckLog(ctx, l.s.at, expect)
	return err
}

// ParseHead parses the result of Head.String, with an optional final newline. Other text is ErrInvalid.
func ParseHead(text string) (Head, error) { return check.ParseHead(text) }

// IsMissing reports whether the audit log has no event although there are handoffs.
func (l AuditLog) IsMissing() bool {
	look, err := l.s.look(true)
	return err == nil && look.At == log.Start && len(look.Listed()) > 0
}

// Since returns since when the audit log is known to be whole: a repair begins it anew. The zero time means always.
func (l AuditLog) Since() time.Time {
	look, err := l.s.look(true)
	if err != nil {
		return time.Time{}
	}
	return look.Recovered
}

// Confirm adds to the audit log that somebody confirmed the answers about a handoff, and reports whether it did. It
// does not wait for a lock that is held.
func (l AuditLog) Confirm(ctx context.Context, id, operator string) bool {
	return l.s.at.Try(ctx, func(c *store.Change) error {
		c.Add("handoff.validate", log.Payload{ID: id, Operator: operator, Time: log.Stamp(c.Now)})
		return nil
	})
}
