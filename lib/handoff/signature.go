package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Signature is the result of verifying the signature of a handoff. State is SignatureGood, SignatureUnsigned or
// what is wrong. Operator is the owner of the key, Key its fingerprint. FirstSight reports that the key is not pinned
// yet.
type Signature = operators.Verdict

// States of a Signature.
const (
	SignatureGood     = operators.Good     // made by a key of the sender
	SignatureUnsigned = operators.Unsigned // there is no signature
)

// SignatureNamespace is the SSH signature namespace of handoffs (ssh-keygen -Y sign -n).
const SignatureNamespace = operators.Namespace

// Trust pins the keys that the operators file lists for an operator, in place of those pinned before. It returns what
// was recorded. An operator that is not in the file is ErrInvalid.
func (r Registry) Trust(ctx context.Context, operator string) (done Trusted, err error) {
	if err := checkOperator(operator); err != nil {
		return done, err
	}
	if _, err := txn.Guard(r.s.at); err != nil {
		return done, err
	}
	err = txn.Trust(ctx, r.s.at, func(old []byte) ([]byte, eventlog.Trusted, error) {
		text, event, err := r.s.keys.Pin(operator, r.s.opt.Operator)(old)
		done = event
		return text, event, err
	})
	return done, err
}

// pinSighted pins the keys whose signatures were just accepted at first sight. The change itself is already durable,
// so a failure only causes a warning.
func (s *Store) pinSighted(ctx context.Context) {
	if err := s.keys.PinSighted(ctx); err != nil {
		s.opt.Warn("keys that were seen for the first time are not pinned yet: " + err.Error())
	}
}

// Distrust returns what is missing if the operators file requires a good signature of the sender, otherwise "". The
// body must then not be shown. If the file is unusable, a signature is required.
func (s *Store) Distrust(from string, sig Signature) (why string) {
	why, err := s.keys.Distrust(from, sig)
	if err != nil {
		return "cannot tell whether handoffs of " + from + " must be signed: " + err.Error()
	}
	return why
}

// load returns the proven handoff of an entry, with the result of verifying its signature.
func (s *Store) load(d *disk.Dir, e Entry) (got Stored, err error) {
	got = Stored{Entry: e, Path: s.at.RelPath(e.File)}
	if got.Document, got.Text, err = s.at.Load(d, e); err == nil {
		got.Signature, err = s.keys.Of(d, e.ID, e.From, got.Text)
	}
	return got, err
}
