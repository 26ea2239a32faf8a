package operators

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
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
	if err != nil || len(blob) < 4 {
		return "", false
	}
	size := uint64(binary.BigEndian.Uint32(blob))
	if uint64(len(blob)) < 4+size || string(blob[4:4+size]) != fields[0] {
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

// Fingerprints returns the fingerprints of keys. The result is not nil.
func Fingerprints(keys []Key) []string {
	texts := []string{}
	for _, k := range keys {
		texts = append(texts, k.Fingerprint())
	}
	return texts
}
