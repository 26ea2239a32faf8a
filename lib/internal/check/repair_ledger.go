package check

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// repairLedger adds the tokens that the audit log records to the ledger, and removes malformed lines. A
// damaged line that still begins with a token stays, since the token was consumed. It keeps a copy of the old
// file.
func (m *repair) repairLedger() error {
	var lines bytes.Buffer
	seen, whole := map[string]bool{}, txn.WholeRecords(m.found.Ledger)
	for n, line := range (&txn.Ledger{Text: m.found.Ledger}).Lines() {
		c, ok := txn.ParseConsumption(line)
		if key := txn.LineKey(string(line)); !ok && key != "" && n <= whole {
			c.Token = key
			again, err := txn.LedgerLine(c)
			ok = err == nil && txn.LineKey(again) == key // otherwise the token itself is damaged
		}
		if event, logged := m.found.Log.Resumes[c.Token]; logged {
			c = event.Consumption
		}
		if !ok || seen[c.Token] {
			continue
		}
		seen[c.Token] = true
		m.consumed = append(m.consumed, c)
	}
	kept := len(m.consumed)
	for _, token := range m.found.Log.Resumed {
		if !seen[token] {
			seen[token] = true
			m.consumed = append(m.consumed, m.found.Log.Resumes[token].Consumption)
		}
	}
	for _, c := range m.consumed {
		line, err := txn.LedgerLine(c)
		if err != nil {
			return err
		}
		lines.WriteString(line)
	}
	if bytes.Equal(lines.Bytes(), m.found.Ledger) {
		return nil
	}
	old := "there was no file"
	if len(m.found.Ledger) > 0 {
		old = "the old file is " + disk.Ledger + "." + m.stamp
		if err := m.keepCopy(m.State, disk.Ledger+"."+m.stamp, m.found.Ledger); err != nil {
			return err
		}
	}
	if err := m.State.Replace(disk.Ledger, lines.Bytes(), 0o600); err != nil {
		return err
	}
	m.did("wrote %s: %d consumed tokens added from the audit log; %s", disk.Ledger, len(m.consumed)-kept, old)
	return m.Rebase()
}

// repairTombstones adds the ids that the audit log records as pruned to the file of tombstones, and removes
// malformed lines. Other ids stay: the file may be older than the log.
func (m *repair) repairTombstones() error {
	old, err := txn.ReadTombstones(m.State)
	if err != nil {
		return err
	}
	kept := txn.Tombstones{IDs: make(map[string]bool)}
	for line := range strings.Lines(string(old.Text)) {
		kept.Add(strings.TrimSuffix(line, "\n"))
	}
	var lacking []string
	for id, h := range m.found.Log.Handoffs() {
		if h.Pruned && !kept.IDs[id] {
			lacking = append(lacking, id)
		}
	}
	slices.Sort(lacking)
	for _, id := range lacking {
		kept.Add(id)
	}
	if string(kept.Text) == string(old.Text) {
		return nil
	}
	if err := m.State.Replace(disk.Tombstones, kept.Text, 0o600); err != nil {
		return err
	}
	if err := m.Rebase(); err != nil {
		return err
	}
	m.did("wrote the tombstones: %s added from the audit log", fault.Count(len(lacking), "id"))
	return nil
}
