package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Signature says what is known of the signature of a handoff.
type Signature = operators.Verdict

// What a Signature can say.
const (
	SignatureGood     = operators.Good
	SignatureUnsigned = operators.Unsigned
)

// SignatureNamespace is the namespace of signatures of handoffs (ssh-keygen -Y sign -n).
const SignatureNamespace = operators.Namespace

// OperatorsNamespace is the namespace of the signature of the operators file.
const OperatorsNamespace = operators.OperatorsNamespace

// Trust makes the keys that the operators file gives an operator those that count, and all others of
// the operator revoked. It returns what was recorded. An operator who is not in the file is
// ErrInvalid.
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

// pinSighted pins the keys of those whose signatures a change has believed at first sight. What was changed
// is durable already: that it fails is only warned about.
func (s *Store) pinSighted(ctx context.Context) {
	if err := s.keys.PinSighted(ctx); err != nil {
		s.opt.Warn("keys that were seen for the first time are not pinned yet: " + err.Error())
	}
}

// Distrust says what is missing where the operators file wants a good signature of the author, "" if
// nothing is. refuse says that the body is not to be shown. A file that cannot be used wants one.
func (s *Store) Distrust(from string, sig Signature) (why string, refuse bool) {
	why, refuse, err := s.keys.Distrust(from, sig)
	if err != nil {
		return "cannot tell whether handoffs of " + from + " must be signed: " + err.Error(), true
	}
	return why, refuse
}

// load returns the handoff of an entry, proven, and what is known of its signature.
func (s *Store) load(d *disk.Dir, e Entry) (got Stored, err error) {
	got = Stored{Entry: e, Path: s.at.RelPath(e.File)}
	if got.Document, got.Text, err = s.at.Load(d, e); err == nil {
		got.Signature, err = s.keys.Of(d, e.ID, e.From, got.Text)
	}
	return got, err
}
