package replica

import "time"

// SetAnswerLimit sets how long a remote may take to answer, and returns what it was.
func SetAnswerLimit(limit time.Duration) (before time.Duration) {
	before, answerLimit = answerLimit, limit
	return before
}
