package handoff

// Glance returns the store as one to be looked at several times in a row: what is known of handoffs beyond
// their rows is read once, when it is first asked for, and stays what it was then.
func (s *Store) Glance() *Store {
	held, at := *s, s.standing()
	held.held = &at
	return &held
}

// StatesOf returns how far each handoff has come, as Listed says it, and by whom those are taken that are.
func (c Lifecycle) States(entries []Entry) (states []State, takers map[string]string) {
	at := c.s.standing()
	states, takers = make([]State, len(entries)), make(map[string]string)
	for i, e := range entries {
		if states[i] = at.state(e); states[i] == StateTaken {
			takers[e.ID] = at.facts().Of(e.ID).Take.Holds().Operator
		}
	}
	return states, takers
}

// Lives returns what says of each handoff by whom it was taken, ended and put away.
func (c Lifecycle) Lives() func(id string) Life {
	facts := c.s.standing().facts
	return func(id string) Life { return facts().Of(id).Life }
}
