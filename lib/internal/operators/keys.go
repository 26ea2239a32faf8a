package operators

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
)

// Namespace is the namespace of the signatures of handoffs.
const Namespace = "handoff-v1"

// A Key is a public key in the form of OpenSSH, without comment: "ssh-ed25519 AAAA…".
type Key string

// ParseKey parses the line of a public key, and drops the comment. ok is false if the type in the line is not that of
// the key.
func ParseKey(line string) (Key, bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return "", false
	}
	blob, err := base64.StdEncoding.DecodeString(fields[1])
	kind := append(binary.BigEndian.AppendUint32(nil, uint32(len(fields[0]))), fields[0]...)
	if err != nil || !bytes.HasPrefix(blob, kind) {
		return "", false
	}
	return Key(fields[0] + " " + fields[1]), true
}

// Fingerprint returns the fingerprint of ssh-keygen -l: SHA256:….
func (k Key) Fingerprint() string {
	_, text, _ := strings.Cut(string(k), " ")
	blob, _ := base64.StdEncoding.DecodeString(text) // it was parsed before
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// Keys returns the keys that the operator signs with.
func (o Operator) Keys() (keys []Key) {
	for _, k := range o.SSHKeys {
		if key, ok := ParseKey(k.Key); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// Owner returns the first operator with a key, "" if there is none.
func (l *List) Owner(key Key) string {
	for _, o := range l.All() {
		if slices.Contains(o.Keys(), key) {
			return o.ID
		}
	}
	return ""
}
