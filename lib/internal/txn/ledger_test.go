//go:build unix

package txn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

func TestWholeRecords(t *testing.T) {
	for ledger, want := range map[string]int{
		"": 0, "a\n": 1, "a\n\nb\n": 3, "a\nb": 1, "a\na": 1, "a\nb\x00\n": 1, "a\n\x00\n\x00b\nc": 1, "a\x00\nb\n": 2,
	} {
		if got := txn.WholeRecords([]byte(ledger)); got != want {
			t.Errorf("%q has %d whole records, want %d", ledger, got, want)
		}
	}
}

// The ledger holds a token itself only if it cannot be a credential.
func TestLedgerKey(t *testing.T) {
	for token, plain := range map[string]bool{
		"token-1234": true, "short": false, "with space 1234": false, strings.Repeat("x", 129): false, "line\nbreak-1234": false,
		"ghp_" + strings.Repeat("aB3dE5fG7h", 4)[:36]: false,
	} {
		key := txn.LedgerKey(token, "sha256:id")
		if plain != (key == token) || !plain && (!strings.HasPrefix(key, "sha256:") || len(key) != 71) {
			t.Errorf("%q becomes %q", token, key)
		}
	}
	if key := txn.LedgerKey("", "sha256:id"); key != "sha256:id" {
		t.Errorf("no token becomes %q", key)
	}
}

func TestParseConsumption(t *testing.T) {
	want := eventlog.Consumption{Token: "token-1234", HandoffID: "sha256:00", Operator: "ben", Time: aTime}
	line, err := txn.LedgerLine(want)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(line, "\n")
	if got, ok := txn.ParseConsumption([]byte(text)); !ok || got != want || txn.LineKey([]byte(text)) != want.Token {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, other := range []string{"", "{}", text[:len(text)-1], text + " ", " " + text, strings.Replace(text, ":", ": ", 1), strings.Replace(text, "token-1234", "", 1)} {
		if _, ok := txn.ParseConsumption([]byte(other)); ok {
			t.Errorf("%q is taken for a line of the ledger", other)
		}
	}
}

// resume consumes tokens of the handoff a.
func (w *world) resume(tokens ...string) (err error) {
	for _, token := range tokens {
		err = w.locked(func(x *txn.Session) error {
			return x.Resume(eventlog.Consumption{Token: token, HandoffID: handoff("a", "body of a\n").HandoffID, Operator: "ben", Time: aTime})
		})
	}
	return err
}

func (w *world) ledger() (l *txn.Ledger, err error) {
	w.Helper()
	x, berr := txn.Begin(w.Store)
	if berr != nil {
		w.Fatal(berr)
	}
	defer x.End()
	return txn.ReadLedger(x.State)
}

// A token works once, and a later use names the first one.
func TestConsumeOnce(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	if err := w.resume("token-0001", "token-0002", "token-0003"); err != nil {
		t.Fatal(err)
	}
	var consumed *txn.ConsumedError
	if err := w.resume("token-0002"); !errors.As(err, &consumed) || consumed.By.Operator != "ben" || consumed.By.Token != "token-0002" {
		t.Fatal(err)
	}
	l, err := w.ledger()
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]bool{"token-0001": true, "token-0003": true, "token-0004": false, "token-000": false} {
		if by, err := l.Consumed(token, ""); err != nil || (by != nil) != want {
			t.Errorf("%s: %+v, %v", token, by, err)
		}
	}
	if marks := strings.Count(w.read(disk.LogFile), "handoff.mark_read"); marks != 1 {
		t.Errorf("%d marks, want one", marks)
	}
}

// A ledger that lost a recorded token is no proof that the token is unused. A torn end was never committed.
func TestLedgerIsDamaged(t *testing.T) {
	for name, test := range map[string]struct {
		ledger func(string) string
		reads  bool // the ledger as a whole can be read
		free   bool // the first token is unused
	}{
		"whole":      {func(s string) string { return s }, true, false},
		"emptied":    {func(string) string { return "" }, true, false},
		"a line":     {func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest + "\n" }, false, false},
		"first gone": {func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest }, true, false},
		"foreign":    {func(s string) string { return s + "mine\n" }, false, false},
		"torn":       {func(s string) string { return s + `{"token":"tok` }, true, false},
		"zeros":      {func(s string) string { return s + "\x00\x00\n" }, true, false},
	} {
		w := newWorld(t)
		w.publish("a")
		if err := w.resume("token-0001", "token-0002"); err != nil {
			t.Fatal(err)
		}
		w.write(disk.Ledger, test.ledger(w.read(disk.Ledger)))
		l, err := w.ledger()
		if (err == nil) != test.reads || err != nil && !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil {
			by, err := l.Consumed("token-0001", "")
			if isFree := by == nil && err == nil; isFree != test.free || err != nil && !errors.Is(err, fault.ErrIntegrity) {
				t.Errorf("%s: %+v, %v", name, by, err)
			}
		}
		if err := w.resume("token-0001"); err == nil {
			t.Errorf("%s: consumed again", name)
		}
	}
}
