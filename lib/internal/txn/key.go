package txn

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Key authenticates intents: they lie where others may put files, as in a repository that is shared,
// and only what was made with this state directory is carried out. The zero Key proves nothing.
type Key struct {
	secret []byte
	older  bool // the state directory was begun by a version without secrets, whose intents have a checksum alone
}

// KeyOf returns the key of a record of this machine.
func KeyOf(r machine.Record) Key {
	secret, _ := hex.DecodeString(r.Secret) // its form was checked
	return Key{secret, r.Secret == ""}
}

func (k Key) mac() hash.Hash { return hmac.New(sha256.New, k.secret) }

// sign returns the HMAC-SHA-256 of a text under the secret of the state directory.
func (k Key) sign(text []byte) []byte {
	mac := k.mac()
	mac.Write(text)
	return mac.Sum(nil)
}

// Proof returns what proves that a text was made with the state directory of the key, "" for the zero Key.
func (k Key) Proof(text []byte) string {
	if len(k.secret) == 0 {
		return ""
	}
	return hex.EncodeToString(k.sign(text))
}

// Proves reports whether a proof is that of a text.
func (k Key) Proves(text []byte, proof string) bool {
	return proof != "" && hmac.Equal([]byte(proof), []byte(k.Proof(text)))
}

// ReadKey returns the key of a state directory, the zero Key where there is none.
func ReadKey(state *durable.Dir) Key {
	if state == nil {
		return Key{}
	}
	record, err := store.ReadMachine(state)
	if err != nil && !errors.Is(err, machine.ErrNoMachine) {
		return Key{}
	}
	return KeyOf(record)
}

// knownKey is the key that this session has, or what the state directory proves by its secret.
func (x *Session) knownKey() Key {
	if len(x.key.secret) == 0 && !x.key.older {
		x.key = ReadKey(x.State)
		x.key.older = false // that the store is this machine's was not found
	}
	return x.key
}

// ownKey is knownKey for who makes an intent: a state directory without a secret gets one, durably.
func (x *Session) ownKey() (Key, error) {
	if len(x.knownKey().secret) > 0 {
		return x.key, nil
	}
	record, err := store.ReadMachine(x.State)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		record = machine.Record{} // it is to be replaced
	}
	if record.FirstSeenUTC == "" {
		record.FirstSeenUTC = x.Now()
	}
	record.Complete()
	if err := x.State.Replace(layout.Fingerprint, record.Bytes(), 0o600); err != nil {
		return Key{}, err
	}
	x.key = KeyOf(record)
	if err := x.removeStaged(); err != nil { // of one that was interrupted here
		return Key{}, err
	}
	return x.key, x.State.Sync()
}

// Writer returns the id of the state directory among those that exchange handoffs. One that has none
// gets it, durably.
func (x *Session) Writer() (string, error) {
	if _, err := x.ownKey(); err != nil {
		return "", err
	}
	record, err := store.ReadMachine(x.State)
	return record.Writer, err
}
