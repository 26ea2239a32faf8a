package handoff

// Glance returns a view of the store for several reads in a row. Facts beyond the rows are read once, when they are
// first needed, and then stay as they are.
func (s *Store) Glance() *Store {
	held, at := *s, s.stateReader()
	held.held = &at
	return &held
}

// States returns the state of each entry, as in Listed, and the holders of those that are taken, by id.
func (c Lifecycle) States(entries []Entry) (states []State, takers map[string]string) {
	at := c.s.stateReader()
	states, takers = make([]State, len(entries)), make(map[string]string)
	for i, e := range entries {
		if states[i] = at.state(e); states[i] == StateTaken {
			takers[e.ID] = at.facts().Of(e.ID).Take.Holds().Operator
		}
	}
	return states, takers
}

// Lives returns a function that returns who took, finished and archived a handoff.
func (c Lifecycle) Lives() func(id string) Life {
	facts := c.s.stateReader().facts
	return func(id string) Life { return facts().Of(id).Life }
}
