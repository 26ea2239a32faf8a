package fsck

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Adoptable counts what has no events if the log is missing or empty; else nothing.
func Adoptable(x *txn.Session) (found eventlog.Adoption, err error) {
	if entry, err := x.State.Lstat(layout.Log); err == nil && entry.Size > 0 {
		return found, nil
	}
	entries, err := x.Scan(x.Dir, func(index.Row) bool { return true }, nil)
	if err != nil {
		return found, err
	}
	for _, e := range entries {
		found.Count(e, nil)
	}
	look := NewCheck(x.Store)
	look.State = x.State
	if err := look.readLedgerText(); err != nil {
		return found, err
	}
	whole := txn.WholeRecords(look.LedgerText)
	for n, line := range (&txn.Ledger{Text: look.LedgerText}).Lines() {
		if txn.LineKey(line) != "" && n <= whole { // what a repair keeps
			found.Tokens++
		}
	}
	return found, nil
}

// checkAdoption looks for more without events than was adopted. Which of it was not, nothing tells.
func (c *Check) checkAdoption() {
	if c.Log.Adopted.Rows == 0 || c.Log.Bad != "" {
		return
	}
	var found eventlog.Adoption
	for id, row := range c.Rows {
		if _, pending := c.promised.Writes[id]; c.Log.MayLack(id) && !pending {
			found.Count(row.Row, slices.Concat(c.Log.Marks[id], c.promised.Marks[id]))
		}
	}
	for _, line := range (&txn.Ledger{Text: c.LedgerText}).Lines() {
		consumed, ok := txn.ParseConsumption(line)
		_, logged := c.Log.Resumes[consumed.Token]
		_, pending := c.promised.Resumes[consumed.Token]
		if ok && !logged && !pending && c.Log.MayLack(consumed.HandoffID) {
			found.Tokens++
		}
	}
	if known := c.Log.Adopted; !known.Covers(found) {
		c.fault(layout.Log, remedyRepair, "lacks the events of %s, %s and %s, of which %d, %d and %d were taken over without: its end may have been cut",
			fault.Count(found.Rows, "handoff"), fault.Count(found.Marks, "read mark"), fault.Count(found.Tokens, "consumed token"),
			min(found.Rows, known.Rows), min(found.Marks, known.Marks), min(found.Tokens, known.Tokens))
	}
}
