package handoff

// SetPerCommit sets the number of documents in a portion, and returns what it was.
func SetPerCommit(size int) (before int) {
	before, perCommit = perCommit, size
	return before
}
