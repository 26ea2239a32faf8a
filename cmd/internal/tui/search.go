package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const (
	maxQuery  = 200                    // characters
	mostFound = 200                    // the number of texts that a search finds, the best ones
	pause     = 120 * time.Millisecond // the delay between a key and a search of all texts
)

// foundMsg is the result of a search of all texts.
type foundMsg struct {
	query string
	ids   map[string]int // with their rank
	err   error
}

func (m *model) startSearch() tea.Cmd {
	m.typing, m.open_ = true, false
	return nil
}

// edit handles a key in the line of the search.
func (m *model) edit(key, typed string) tea.Cmd {
	text := []rune(m.query)
	switch key {
	case "enter":
		m.typing = false
		return nil
	case "esc", "ctrl+c":
		m.typing = false
		return m.search("")
	case "backspace":
		return m.search(string(text[:max(0, len(text)-1)]))
	}
	return m.add(typed)
}

// add appends text to the query.
func (m *model) add(typed string) tea.Cmd {
	text := []rune(m.query + typed)
	return m.search(string(text[:min(len(text), maxQuery)]))
}

// search shows the handoffs whose title, people or id have all words of a query, and looks for those whose text has
// them.
func (m *model) search(query string) tea.Cmd {
	if query == m.query {
		return nil
	}
	id := m.id()
	m.query, m.found, m.at = query, nil, 0
	m.choose(id)
	return m.find()
}

// find returns the command that searches all texts for the query. It stops if the query changes.
func (m *model) find() tea.Cmd {
	if m.stop != nil {
		m.stop()
	}
	query, words, s := m.query, strings.Fields(m.query), m.store
	if len(words) == 0 {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	return func() tea.Msg {
		time.Sleep(pause)
		if ctx.Err() != nil {
			return nil
		}
		found, err := s.Search(ctx, handoff.Query{Words: words, Limit: mostFound})
		ids := make(map[string]int, len(found.Matches))
		for i, match := range found.Matches {
			ids[match.ID] = i
		}
		return foundMsg{query, ids, err}
	}
}

func (m *model) gotFound(msg foundMsg) {
	switch {
	case msg.query != m.query:
	case msg.err != nil && !errors.Is(msg.err, fault.ErrInvalid): // the words so far say nothing
		m.fail(fault.Sentence(msg.err))
	default:
		m.found = msg.ids
		m.choose(m.id())
	}
}

// rank returns the rank of a row in a search.
func (l *list) rank(i int) int {
	if rank, is := l.found[l.rows[i].ID]; is {
		return rank
	}
	return mostFound
}

// matcher returns the condition of the query: its words are in people, topic and id, or its search found the text.
func (l *list) matcher() func(*row) bool {
	words := strings.Fields(strings.ToLower(l.query))
	return func(r *row) bool {
		if len(words) == 0 {
			return true
		}
		text := strings.ToLower(r.From + " " + r.To + " " + r.Topic + " " + cli.Short(r.ID, len(r.ID)))
		for _, word := range words {
			if !strings.Contains(text, word) {
				_, found := l.found[r.ID]
				return found
			}
		}
		return true
	}
}
