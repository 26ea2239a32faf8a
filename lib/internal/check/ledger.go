package check

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// checkLedger compares the consumed tokens with the events. If one of them lacks a token, the token may work
// again, or was never consumed.
func (c *check) checkLedger() {
	seen, whole := map[string]bool{}, txn.WholeRecords(c.Ledger)
	for n, line := range (&txn.Ledger{Text: c.Ledger}).Lines() {
		place := fmt.Sprintf("%s:%d", disk.Ledger, n)
		consumed, ok := txn.ParseConsumption(line)
		switch {
		case n > whole:
			c.warn(place, remedyRepair, "the last line is torn; it was never committed")
			continue
		case !ok:
			c.fault(place, remedyRepair, "is not the record of a consumed token")
			continue
		case seen[consumed.Token]:
			c.warn(place, remedyRepair, "records a token that an earlier line records")
		case c.hidesEvents():
		default:
			c.checkConsumption(place, consumed)
		}
		seen[consumed.Token] = true
	}
	if c.isUnreadable(disk.Ledger) {
		return
	}
	for token, event := range c.Log.Resumes {
		if !seen[token] {
			c.fault(eventlog.Place(event.Line), remedyRepair,
				"records a consumed token that %s lacks: it could be consumed again", disk.Ledger)
		}
	}
}

// checkConsumption compares a line of the ledger with the event of the same token. In a replica, the event of
// a line may be in the log of another one.
func (c *check) checkConsumption(place string, consumed eventlog.Consumption) {
	event, logged := c.Log.Resumes[consumed.Token]
	switch {
	case !logged && c.Log.MayLack(consumed.HandoffID):
		c.warn(place, "", "the consumed token of %s has no event in the audit log", consumed.HandoffID)
	case !logged:
		c.fault(place, remedyRepair, "the consumed token of %s has no event in the audit log", consumed.HandoffID)
	case event.Consumption != consumed:
		c.fault(place, remedyRepair, "differs from what %s records of the same token", eventlog.Place(event.Line))
	}
}
