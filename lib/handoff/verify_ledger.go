package handoff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

// A loggedResume is a consumed token as the audit log records it.
type loggedResume struct {
	Consumption
	place string
}

// readLedgerText reads the ledger into the snapshot.
func (c *check) readLedgerText() (err error) {
	if c.state == nil {
		return nil
	}
	c.ledgerText, err = c.state.ReadFile(ledgerName, maxLedger)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, durable.ErrUnsafe), errors.Is(err, fs.ErrPermission):
		c.odd = append(c.odd, Finding{ledgerName, fmt.Sprintf("cannot be read: %v", err), remedyRepair})
		return nil
	}
	return err
}

// checkLedger compares the consumed tokens with the events: a token that one of them lacks could be
// consumed again, or was never consumed.
func (c *check) checkLedger() {
	seen := map[string]bool{}
	for n, line := range (&Ledger{text: c.ledgerText}).lines() {
		place := fmt.Sprintf("%s:%d", ledgerName, n)
		consumed, ok := parseConsumption(line)
		switch _, pending := c.promised.resumes[consumed.Token]; {
		case isTorn(c.ledgerText, line):
			if c.intent == nil {
				c.warn(place, remedyRepair, "the last line is torn; it was never committed")
			}
			continue
		case !ok:
			c.fault(place, remedyRepair, "is no record of a consumed token")
			continue
		case seen[consumed.Token]:
			c.warn(place, remedyRepair, "records a token that an earlier line records")
		case pending || c.hidesEvents():
		default:
			c.checkConsumption(place, consumed)
		}
		seen[consumed.Token] = true
	}
	if c.isOdd(ledgerName) {
		return
	}
	for token, event := range c.log.resumes {
		if _, pending := c.promised.resumes[token]; !seen[token] && !pending {
			c.fault(event.place, remedyRepair, "records a consumed token that %s lacks: it could be consumed again", ledgerName)
		}
	}
}

func (c *check) checkConsumption(place string, consumed Consumption) {
	event, logged := c.log.resumes[consumed.Token]
	switch {
	case !logged && c.log.mayLack(consumed.HandoffID):
		c.warn(place, "", "the consumed token of %s has no event in the audit log", consumed.HandoffID)
	case !logged:
		c.fault(place, remedyRepair, "the consumed token of %s has no event in the audit log", consumed.HandoffID)
	case event.Consumption != consumed:
		c.fault(place, remedyRepair, "differs from what %s records of the same token", event.place)
	}
}

// isTorn reports whether the line is the last of the ledger and has no end: then it was never committed.
func isTorn(ledger, line []byte) bool {
	return !bytes.HasSuffix(ledger, []byte("\n")) && bytes.HasSuffix(ledger, line)
}

// parseConsumption reads a line of the ledger, byte for byte as ledgerLine writes it.
func parseConsumption(line []byte) (c Consumption, ok bool) {
	if err := json.Unmarshal(line, &c); err != nil || c.Token == "" {
		return c, false
	}
	again, err := ledgerLine(c)
	return c, err == nil && again == string(line)+"\n"
}
