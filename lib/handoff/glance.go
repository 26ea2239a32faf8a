package handoff

// StatesOf returns how far each handoff has come, as Listed says it, and by whom those are taken that are.
func (s *Store) StatesOf(entries []Entry) (states []State, takers map[string]string) {
	at := s.standing()
	states, takers = make([]State, len(entries)), make(map[string]string)
	for i, e := range entries {
		if states[i] = at.state(e); states[i] == StateTaken {
			takers[e.ID] = at.facts().Of(e.ID).Take.Holds().Operator
		}
	}
	return states, takers
}
