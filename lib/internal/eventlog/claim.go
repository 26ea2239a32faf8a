package eventlog

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// ClaimFile is the name of the file of a claim. MaxFile is its maximum size in bytes.
const (
	ClaimFile = "claim.json"
	MaxFile   = 16 << 10
)

const version = "handoff-claim/1"

// A Claim is an action that exactly one clone may perform.
type Claim struct {
	Consumption `json:"claim"`
	Format      string `json:"format"`
	Nonce       string `json:"nonce"`
	Writer      string `json:"writer"` // the replica that has the line
}

// NewClaim returns a claim of a writer. No two claims are equal.
func NewClaim(c Consumption, writer string) Claim {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // never fails
	return Claim{c, version, hex.EncodeToString(nonce), writer}
}

// ClaimName returns the name of the ref of the claim of a key, below claims/. A release, a revoke and a done of the
// same take have the same name, since only one of them may end the take.
func ClaimName(key string) string {
	if id, act, n, isAct := ParseKey(key); isAct && act.IsEnd() {
		key = ActSettle.Key(id, n)
	}
	return jsontree.SHA256Hex([]byte(key))
}

// Bytes returns the content of the file.
func (c Claim) Bytes() ([]byte, error) {
	text, err := jsontree.CanonicalOf(c)
	return append(text, '\n'), err
}

// ParseClaim parses the file of the claim name. The caller must check the line in it.
func ParseClaim(name string, text []byte) (c Claim, err error) {
	switch err := json.Unmarshal(text, &c); {
	case err != nil:
		return c, errors.New("it is not a claim in JSON")
	case c.Format != version, len(c.Nonce) != 32, !form.IsHex(c.Nonce), !form.IsWriter(c.Writer):
		return c, errors.New("it has another format")
	case ClaimName(c.Token) != name:
		return c, errors.New("its token does not match its name")
	}
	return c, nil
}

// Before reports whether a claim comes before another one of the same action. Of two claims of one time it is the one
// whose writer, and then whose nonce is less: who is first with a take is also first with its end.
func (c Claim) Before(other Claim) bool {
	order := cmp.Or(index.CompareTimes(c.Time, other.Time), strings.Compare(c.Writer, other.Writer),
		strings.Compare(c.Nonce, other.Nonce))
	return c.Token == other.Token && order < 0
}

// A LostError is the error if another clone won the claim. It wraps no class, since nothing is wrong with the
// store.
type LostError struct{ By Claim }

func (e *LostError) Error() string {
	return fmt.Sprintf("%s was first with %s, at %s, in another clone (%s)", e.By.Operator, e.By.HandoffID, e.By.Time,
		e.By.Writer)
}

// Plain omits the winner.
func (e *LostError) Plain() string { return "another clone was first" }

// Hint returns what to do next.
func (e *LostError) Hint() string { return "run `handoff sync`" }

// Verdict returns the verdict of a packet that was resumed already.
func (e *LostError) Verdict() string { return "CRITICAL" }
