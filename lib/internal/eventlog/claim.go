package eventlog

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// File is the name of the file of a claim, MaxFile what it may have at most, in bytes.
const (
	ClaimFile = "claim.json"
	MaxFile   = 16 << 10
)

const version = "handoff-claim/1"

// A Claim is what somebody has done, or is about to do, before all others.
type Claim struct {
	Consumption `json:"claim"`
	Format      string `json:"format"`
	Nonce       string `json:"nonce"`
	Writer      string `json:"writer"` // whose state directory has the line
}

// New makes a claim of a writer, which nobody makes twice.
func NewClaim(c Consumption, writer string) Claim {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // it does not fail
	return Claim{c, version, hex.EncodeToString(nonce), writer}
}

// Name returns the name of the ref of the claim of a key, below claims/. A release and a done of one turn
// have the same: who takes a handoff either gives it back or ends it.
func ClaimName(key string) string {
	if id, act, n, isAct := ParseKey(key); isAct && (act == ActRelease || act == ActDone) {
		key = ActSettle.Key(id, n)
	}
	return jsontree.SHA256Hex([]byte(key))
}

// Bytes returns the content of the file.
func (c Claim) Bytes() ([]byte, error) {
	text, err := json.Marshal(c)
	if err == nil {
		text, err = jsontree.Canonicalize(text)
	}
	return append(text, '\n'), err
}

// Parse reads the file of the claim of a name. What its line says is for the caller to judge.
func ParseClaim(name string, text []byte) (c Claim, err error) {
	switch err := json.Unmarshal(text, &c); {
	case err != nil:
		return c, errors.New("it is not the JSON of a claim")
	case c.Format != version, len(c.Nonce) != 32, !form.IsHex(c.Nonce), !form.IsWriter(c.Writer):
		return c, errors.New("it is of another format")
	case ClaimName(c.Token) != name:
		return c, errors.New("it claims something else than its name says")
	}
	return c, nil
}

// A LostError says that somebody else was the first. It wraps no class: nothing is wrong with the store.
type LostError struct{ By Claim }

func (e *LostError) Error() string {
	return fmt.Sprintf("somebody else was the first with %s: %s, at %s, in another clone (%s)", e.By.HandoffID, e.By.Operator, e.By.Time, e.By.Writer)
}

// Plain does not say who.
func (e *LostError) Plain() string { return "somebody else was the first, in another clone" }

// Hint says what to do next.
func (e *LostError) Hint() string { return "run `handoff sync` to get what became of it" }

// Verdict is that of a packet that was resumed before.
func (e *LostError) Verdict() string { return "CRITICAL" }
