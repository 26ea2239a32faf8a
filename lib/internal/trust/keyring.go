package trust

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

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Keyring has the known keys of a store. It reads the files again if they have changed. It is safe for concurrent
// use.
type Keyring struct {
	At      *store.Store
	Allowed string // the user's file of allowed signers; "" if there is none

	// Verify returns the public key that made an armored SSH signature of a text. Without it no signature can be
	// verified.
	Verify func(text, armored []byte, namespace string) (key string, err error)

	mu     sync.Mutex
	known  kept[operators.Trust]
	policy kept[*operators.List] // which operators must sign; nil if none must

	sighted []string // the operators whose keys were accepted at first sight
}

// Of returns the verdict about the stored signature of a handoff with these bytes. The error is fault.ErrIntegrity if
// the signature does not match, or if the sender's keys have changed without the user's consent.
func (k *Keyring) Of(d *disk.Dir, id, from string, text []byte) (operators.Verdict, error) {
	armored, err := store.ReadSignature(d, id)
	switch {
	case errors.Is(err, fault.ErrIntegrity):
		return operators.Verdict{State: operators.Bad}, err
	case err != nil || armored == nil:
		return operators.Verdict{State: operators.Unsigned}, err
	}
	return k.Judge(from, text, armored)
}

// Judge is like Of for a signature that is not stored.
func (k *Keyring) Judge(from string, text, armored []byte) (operators.Verdict, error) {
	key, err := k.signer(text, armored, operators.Namespace)
	if errors.Is(err, fault.ErrIntegrity) {
		return operators.Verdict{State: operators.Bad}, err
	}
	if err != nil {
		return operators.Verdict{}, err
	}
	trust, err := k.trust()
	if err != nil {
		return operators.Verdict{}, err
	}
	found := trust.Judge(from, key)
	switch {
	case found.Changed:
		return found.Verdict, fault.Integrity(
			"if the new keys are right, run `handoff operators trust "+from+"`",
			"the keys of %s in the operators file are not those that were seen before, and %s signed with such a key",
			from, from)
	case found.FirstSight:
		k.mu.Lock()
		if !slices.Contains(k.sighted, from) {
			k.sighted = append(k.sighted, from)
		}
		k.mu.Unlock()
	}
	return found.Verdict, nil
}

// PinSighted pins the keys that were accepted at first sight since the last call. Only commands that store, take or
// import handoffs call it: reading alone must not decide which keys count.
func (k *Keyring) PinSighted(ctx context.Context) (err error) {
	k.mu.Lock()
	names := k.sighted
	k.sighted = nil
	k.mu.Unlock()
	for _, name := range names {
		err = errors.Join(err, txn.Trust(ctx, k.At, k.Pin(name, "")))
	}
	return err
}

// signer returns the key that signed a text.
func (k *Keyring) signer(text, armored []byte, namespace string) (operators.Key, error) {
	if k.Verify == nil {
		return "", fault.Config("", "this program cannot check signatures")
	}
	line, err := k.Verify(text, armored, namespace)
	if err != nil {
		return "", err
	}
	key, ok := operators.ParseKey(line)
	if !ok {
		err = fault.Integrity("", "the signature was made with an invalid key")
	}
	return key, err
}

// A kept value was read from files. It is read again when one of them has changed.
type kept[T any] struct {
	stamp string
	value T
}

func (k *kept[T]) get(read func() (T, error), paths ...string) (T, error) {
	stamp := ""
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			stamp += fmt.Sprint(info.ModTime().UnixNano(), info.Size())
		}
		stamp += "\n"
	}
	if k.stamp == stamp {
		return k.value, nil
	}
	value, err := read()
	if err == nil {
		k.stamp, k.value = stamp, value
	}
	return value, err
}

// trust returns the owners of keys.
func (k *Keyring) trust() (operators.Trust, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known.get(k.readTrust, k.At.Opt.OperatorsFile, k.Allowed, k.pinsFile())
}

// readTrust reads the owners of keys. If the operators file is unusable, it warns, and the keys there do not count.
// An unusable file of allowed signers is an error, because its user relies on it.
func (k *Keyring) readTrust() (t operators.Trust, err error) {
	list, err := k.At.Operators()
	if err != nil {
		k.At.Opt.Warn("no key of the operators file counts: " + err.Error())
	} else if list != nil {
		t.Authors = list.Authors()
	}
	if k.Allowed != "" {
		text, err := os.ReadFile(k.Allowed)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return t, fault.Config("make it readable, or move it away",
				"cannot read the allowed signers: %v", err)
		}
		t.Allowed = operators.ParseAllowed(string(text), operators.Namespace)
	}
	state, err := k.At.OpenPlace(k.At.Opt.StateDir)
	if err != nil || state == nil {
		return t, err
	}
	defer state.Close()
	text, err := state.ReadFile(disk.Pins, disk.MaxOperators)
	if err = store.AsCorrupt(k.pinsFile(), err); err != nil && !errors.Is(err, fs.ErrNotExist) &&
		!errors.Is(err, fault.ErrIntegrity) {
		return t, fault.Unreadable(err)
	}
	if !errors.Is(err, fault.ErrIntegrity) {
		t.Pins, err = operators.ParsePins(text)
	}
	if err != nil {
		err = fault.Integrity("restore "+k.pinsFile()+
			" from a backup, or move it away: keys are then pinned again at first sight",
			"the keys that were seen before cannot be read: %v", err)
	}
	return t, err
}

// pinsFile returns the path of the pinned keys.
func (k *Keyring) pinsFile() string { return filepath.Join(k.At.Opt.StateDir, disk.Pins) }

// Pin returns a function that pins the keys of an operator in the operators file.
func (k *Keyring) Pin(operator, by string) func(old []byte) ([]byte, eventlog.Trusted, error) {
	return func(old []byte) ([]byte, eventlog.Trusted, error) {
		event := eventlog.Trusted{OperatorID: operator, By: by}
		pins, err := operators.ParsePins(old)
		if err != nil {
			return nil, event, &fault.CorruptError{File: k.pinsFile(), Why: err.Error()}
		}
		list, err := k.At.Operators()
		if err != nil || list == nil {
			return old, event, err
		}
		at := slices.IndexFunc(list.All(), func(o operators.Operator) bool { return o.ID == operator })
		if at < 0 {
			return nil, event, fault.Invalid("`handoff operators list` lists them",
				"%q is not in the operators file", operator)
		}
		_, known := pins[operator]
		event.FirstSight = !known
		pins[operator] = list.Authors()[at].Keys
		event.Keys = operators.Fingerprints(pins[operator])
		return pins.Bytes(), event, nil
	}
}

// readPolicy returns the operators file if it requires a signature of somebody, otherwise nil.
func (k *Keyring) readPolicy() (*operators.List, error) {
	text, err := k.At.OperatorsText()
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(text, []byte("require_signature")) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return k.At.Operators()
}

// Distrust returns what is missing if the operators file requires a good signature of the sender, otherwise "". An
// error means that the answer is unknown.
func (k *Keyring) Distrust(from string, sig operators.Verdict) (why string, err error) {
	if sig.State == operators.Good {
		return "", nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list, err := k.policy.get(k.readPolicy, k.At.Opt.OperatorsFile)
	if err != nil || list == nil || !list.MustSign(from) {
		return "", err
	}
	return fmt.Sprintf("the operators file asks for a signature of %s, and this one is %s", from, sig.State), nil
}
