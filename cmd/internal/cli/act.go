package cli

import (
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// TitleOf returns the title of a handoff, "" unless the output is for people.
func (a *App) TitleOf(s *handoff.Store, id string) string {
	if !a.ForPeople() {
		return ""
	}
	e, err := s.Find(id)
	if err != nil {
		return ""
	}
	return handoff.Cut(s.ListedOne(e).Title, titleInLine)
}

const titleInLine = 60 // columns
