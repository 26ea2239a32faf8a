//go:build unix

package txn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
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
	if got, ok := txn.ParseConsumption([]byte(text)); !ok || got != want || txn.LineKey(text) != want.Token {
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
			c := eventlog.Consumption{Token: token, HandoffID: handoff("a", "body of a\n").HandoffID, Operator: "ben", Time: aTime}
			_, _, err := x.Act(eventlog.ActResume, c, txn.Lapse{})
			return err
		})
	}
	return err
}

func (w *world) ledger() (l *txn.Ledger, err error) {
	w.Helper()
	return store.InState(w.Store, txn.ReadLedger)
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
		if by := l.Consumed(token, ""); (by != nil) != want {
			t.Errorf("%s: %+v", token, by)
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
		reads  bool // the ledger can be read
	}{
		"whole":      {func(s string) string { return s }, true},
		"emptied":    {func(string) string { return "" }, false},
		"a line":     {func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest + "\n" }, false},
		"first gone": {func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest }, false},
		"foreign":    {func(s string) string { return s + "mine\n" }, true},
		"torn":       {func(s string) string { return s + `{"token":"tok` }, true},
		"zeros":      {func(s string) string { return s + "\x00\x00\n" }, true},
	} {
		w := newWorld(t)
		w.publish("a")
		if err := w.resume("token-0001", "token-0002"); err != nil {
			t.Fatal(err)
		}
		if err := w.locked((*txn.Session).Checkpoint); err != nil { // or the records would restore it
			t.Fatal(err)
		}
		w.write(disk.Ledger, test.ledger(w.read(disk.Ledger)))
		l, err := w.ledger()
		if (err == nil) != test.reads || err != nil && !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil {
			if by := l.Consumed("token-0001", ""); by == nil {
				t.Errorf("%s: a consumed token is unused", name)
			}
		}
		if err := w.resume("token-0001"); err == nil {
			t.Errorf("%s: consumed again", name)
		}
	}
}
