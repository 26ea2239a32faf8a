package handoff

// OutsidePath returns the path of the directory of a store in the user's state.
func OutsidePath(s *Store) (string, error) { return s.at.OutsidePath() }
