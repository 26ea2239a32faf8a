package exchange

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/repo"
)

// SetAnswerLimit sets how long a remote may take to answer, and returns what it was.
func SetAnswerLimit(limit time.Duration) (before time.Duration) {
	before, repo.AnswerLimit = repo.AnswerLimit, limit
	return before
}

// SetMaxAtOnce sets how much a writer may publish between two exchanges, and returns what it was.
func SetMaxAtOnce(most int64) (before int64) {
	before, maxAtOnce = maxAtOnce, most
	return before
}
