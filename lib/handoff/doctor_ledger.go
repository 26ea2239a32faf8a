package handoff

import (
	"bytes"
	"slices"
)

// mendLedger gives the ledger the tokens that the audit log records, and drops what is no record. A line that still
// begins with its token is one: the token was consumed, whatever else is damaged. The old file stays beside.
func (m *mending) mendLedger() error {
	var lines bytes.Buffer
	seen := map[string]bool{}
	for _, line := range (&Ledger{text: m.found.ledgerText}).lines() {
		c, ok := parseConsumption(line)
		if key := lineKey(line); !ok && key != "" && !isTorn(m.found.ledgerText, line) {
			c.Token, ok = key, true
		}
		if event, logged := m.loggedResume(c.Token); logged {
			c = event.Consumption
		}
		if !ok || seen[c.Token] {
			continue
		}
		seen[c.Token] = true
		m.consumed = append(m.consumed, c)
	}
	kept := len(m.consumed)
	for _, token := range append(slices.Clone(m.found.log.resumed), m.found.unproven.resumed...) {
		if !seen[token] {
			seen[token] = true
			event, _ := m.loggedResume(token)
			m.consumed = append(m.consumed, event.Consumption)
		}
	}
	for _, c := range m.consumed {
		line, err := ledgerLine(c)
		if err != nil {
			return err
		}
		lines.WriteString(line)
	}
	if bytes.Equal(lines.Bytes(), m.found.ledgerText) {
		return nil
	}
	old := "there was no file"
	if len(m.found.ledgerText) > 0 {
		old = "the old file is " + ledgerName + "." + m.stamp
		if err := m.keepCopy(m.state, ledgerName+"."+m.stamp, m.found.ledgerText); err != nil {
			return err
		}
	}
	if err := m.state.Replace(ledgerName, lines.Bytes(), 0o600); err != nil {
		return err
	}
	m.did("wrote %s: %d consumed tokens added from the audit log; %s", ledgerName, len(m.consumed)-kept, old)
	return m.state.Sync()
}

// loggedResume returns what the log says of a token, if need be behind the break of its chain.
func (m *mending) loggedResume(token string) (loggedResume, bool) {
	event, ok := m.found.log.resumes[token]
	if !ok {
		event, ok = m.found.unproven.resumes[token]
	}
	return event, ok
}

// unloggedResumes returns the events that consumed tokens should have and do not, for the handoffs that need them.
func (m *mending) unloggedResumes(needs func(id string) bool) []event {
	var events []event
	for _, c := range m.consumed {
		if _, logged := m.found.log.resumes[c.Token]; !logged && needs(c.HandoffID) {
			events = append(events, event{eventResume, resumePayload{Consumption: c}})
		}
	}
	return events
}
