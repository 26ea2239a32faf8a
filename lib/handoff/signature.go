package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/signers"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Signature says what is known of the signature of a handoff.
type Signature = signers.Verdict

// What a Signature can say.
const (
	SignatureGood     = signers.Good
	SignatureUnsigned = signers.Unsigned
)

// SignatureNamespace is the namespace of signatures of handoffs (ssh-keygen -Y sign -n).
const SignatureNamespace = signers.Namespace

// OperatorsNamespace is the namespace of the signature of the operators file.
const OperatorsNamespace = signers.OperatorsNamespace

// trusted is what the files say about whose keys are whose, as it was read when they had that stamp.
type trusted struct {
	mu    sync.Mutex
	stamp string
	trust signers.Trust

	size int64 // of the log when its events were read
	seen map[string]string
}

// signature returns what is known of the signature of a handoff with these bytes. One that does not hold, or that is by a key
// which nobody has said is the author's now, is ErrIntegrity.
func (s *Store) signature(d *durable.Dir, id, from string, text []byte) (Signature, error) {
	armored, err := store.ReadSignature(d, id)
	switch {
	case errors.Is(err, ErrIntegrity):
		return Signature{State: signers.Bad}, err
	case err != nil || armored == nil:
		return Signature{State: signers.Unsigned}, err
	}
	return s.judgeSignature(from, text, armored, func() (time.Time, error) { return s.firstSeen(id) })
}

func (s *Store) judgeSignature(from string, text, armored []byte, seen func() (time.Time, error)) (Signature, error) {
	key, err := s.signer(text, armored, signers.Namespace)
	if errors.Is(err, ErrIntegrity) {
		return Signature{State: signers.Bad}, err
	}
	if err != nil {
		return Signature{}, err
	}
	trust, err := s.trust()
	if err != nil {
		return Signature{}, err
	}
	found, err := trust.Judge(from, key, seen)
	switch {
	case err != nil:
		return Signature{}, err
	case found.Changed:
		return found.Verdict, fault.New(ErrIntegrity, "if the new keys are right, run `handoff operators trust "+from+"`",
			"the keys of %s in the operators file are not those that were seen before, and %s signed with such a key", from, from)
	case found.FirstSight:
		txn.TrustQuietly(context.Background(), s.at, s.pin(from, ""))
	}
	return found.Verdict, nil
}

// signer returns the key that signed a text.
func (s *Store) signer(text, armored []byte, namespace string) (signers.Key, error) {
	if s.opt.VerifySignature == nil {
		return "", fault.New(ErrConfig, "", "this program cannot check signatures")
	}
	line, err := s.opt.VerifySignature(text, armored, namespace)
	if err != nil {
		return "", err
	}
	key, ok := signers.ParseKey(line)
	if !ok {
		err = fault.New(ErrIntegrity, "", "the signature was made with a key that is none")
	}
	return key, err
}

// firstSeen returns when a handoff came into this store. One of which no event tells comes now.
func (s *Store) firstSeen(id string) (time.Time, error) {
	t := &s.trusted
	t.mu.Lock()
	defer t.mu.Unlock()
	log, err := os.Stat(filepath.Join(s.opt.StateDir, layout.Log))
	if err == nil && (t.seen == nil || t.size != log.Size()) {
		t.size = log.Size()
		t.seen, err = s.FirstSeen()
	}
	if at, ok := form.Instant(t.seen[id]); ok || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at, err
	}
	return s.opt.Now(), nil
}

// trust reads the files that say whose keys are whose, unless they are as they were.
func (s *Store) trust() (signers.Trust, error) {
	t := &s.trusted
	t.mu.Lock()
	defer t.mu.Unlock()
	stamp := ""
	for _, path := range []string{s.opt.OperatorsFile, s.opt.OperatorsFile + ".sig", s.opt.AllowedSigners, s.pinsFile()} {
		if info, err := os.Stat(path); err == nil {
			stamp += fmt.Sprint(info.ModTime().UnixNano(), info.Size())
		}
		stamp += "\n"
	}
	if t.stamp == stamp {
		return t.trust, nil
	}
	trust, err := s.readTrust()
	if err == nil {
		t.stamp, t.trust = stamp, trust
	}
	return trust, err
}

func (s *Store) readTrust() (t signers.Trust, err error) {
	list, err := s.Operators()
	if err != nil {
		s.opt.Warn("no key of the operators file counts: " + err.Error())
	} else if list != nil {
		t.Authors = list.Authors()
	}
	if s.opt.AllowedSigners != "" {
		text, err := os.ReadFile(s.opt.AllowedSigners)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return t, fault.New(ErrConfig, "make it readable, or move it away", "cannot read the allowed signers: %v", err)
		}
		t.Allowed = signers.ParseAllowed(string(text))
	}
	t.Endorsed = sync.OnceValue(s.endorser)
	state, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil || state == nil {
		return t, err
	}
	defer state.Close()
	text, err := state.ReadFile(layout.Pins, layout.MaxOperators)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Pins, err = signers.ParsePins(text)
	}
	if err != nil {
		err = &fault.CorruptError{File: s.pinsFile(), Why: err.Error()}
	}
	return t, err
}

func (s *Store) pinsFile() string { return filepath.Join(s.opt.StateDir, layout.Pins) }

// endorser is the key that signed the operators file, "" if none did.
func (s *Store) endorser() signers.Key {
	text, err := s.OperatorsText()
	if err != nil {
		return ""
	}
	armored, err := s.at.ReadPlain(s.opt.OperatorsFile+".sig", layout.MaxSignature)
	if err != nil {
		return ""
	}
	key, _ := s.signer(text, armored, signers.OperatorsNamespace)
	return key
}

// pin makes the keys that the operators file gives an operator those that count.
func (s *Store) pin(operator, by string) func(old []byte) ([]byte, eventlog.Trusted, error) {
	return func(old []byte) ([]byte, eventlog.Trusted, error) {
		event := eventlog.Trusted{OperatorID: operator, By: by}
		pins, err := signers.ParsePins(old)
		if err != nil {
			return nil, event, &fault.CorruptError{File: s.pinsFile(), Why: err.Error()}
		}
		list, err := s.Operators()
		if err != nil || list == nil {
			return old, event, err
		}
		at := slices.IndexFunc(list.All(), func(o operators.Operator) bool { return o.ID == operator })
		if at < 0 {
			return nil, event, fault.New(ErrInvalid, "`handoff operators list` lists them", "%q is not in the operators file", operator)
		}
		_, known := pins[operator]
		event.FirstSight = !known
		pinned := pins.Trust(operator, list.Authors()[at].Keys())
		event.Keys, event.Former = signers.Fingerprints(pinned.Keys), signers.Fingerprints(pinned.Former)
		return pins.Bytes(), event, nil
	}
}

// Trust makes the keys that the operators file gives an operator those that count, and all others of the operator revoked. It
// returns what was recorded. An operator who is not in the file is ErrInvalid.
func (s *Store) Trust(ctx context.Context, operator string) (done eventlog.Trusted, err error) {
	if err := checkOperator(operator); err != nil {
		return done, err
	}
	if _, err := txn.Guard(s.at); err != nil {
		return done, err
	}
	err = txn.Trust(ctx, s.at, func(old []byte) ([]byte, eventlog.Trusted, error) {
		text, event, err := s.pin(operator, s.opt.Operator)(old)
		done = event
		return text, event, err
	})
	return done, err
}

// required returns what the operators file says of handoffs of an author without a good signature: "", flag or refuse. A file
// that cannot be used says nothing.
func (s *Store) required(from string) string {
	text, err := s.OperatorsText()
	if err != nil || !bytes.Contains(text, []byte("require_signature")) {
		return ""
	}
	list, faults := ParseOperators(text)
	if len(faults) > 0 {
		return ""
	}
	return list.Require(from)
}

// Distrust says what is missing where the operators file wants a good signature of the author, "" if nothing is. refuse says that
// the body is not to be shown.
func (s *Store) Distrust(from string, sig Signature) (why string, refuse bool) {
	if sig.State == signers.Good {
		return "", false
	}
	required := s.required(from)
	if required == "" {
		return "", false
	}
	return fmt.Sprintf("the operators file asks for a signature of %s, and this one is %s", from, sig.State), required == operators.RequireRefuse
}

// load returns the handoff of an entry, proven, and what is known of its signature.
func (s *Store) load(d *durable.Dir, e Entry) (got Stored, err error) {
	got = Stored{Entry: e, Path: s.at.RelPath(e.File)}
	if got.Document, got.Text, err = s.at.Load(d, e); err == nil {
		got.Signature, err = s.signature(d, e.ID, e.From, got.Text)
	}
	return got, err
}
