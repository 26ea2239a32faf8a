package handoff

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/thread"
)

// Thread returns the handoffs that are connected with one by replies and successors, oldest first. id is as in Read.
// Only the references of that handoff are proven.
func (s *Store) Thread(id string) (thread.Thread, error) {
	asked, err := s.Find(id)
	if err != nil {
		return thread.Thread{}, err
	}
	at := s.stateReader()
	facts := at.facts()
	if got, err := s.Load(asked); err == nil { // its event may not be written yet
		facts.AddDocument(asked.ID, asked.From, asked.To, got.References)
	}
	lives, ids := facts.Connected(asked.ID)
	rows, err := s.rowsOf(func(id string) bool { _, is := lives[id]; return is })
	if err != nil {
		return thread.Thread{}, err
	}
	rows[asked.ID] = asked
	nodes, listed := make([]thread.Node, len(ids)), make(map[string]Listed)
	for _, l := range s.Listed(slices.Collect(maps.Values(rows))) {
		listed[l.ID] = l
	}
	for i, id := range ids {
		nodes[i] = thread.Node{ID: id, State: thread.Absent}
		if e, ok := rows[id]; ok {
			nodes[i] = thread.Node{ID: id, Path: s.at.RelPath(e.File), From: e.From, To: e.To, Topic: e.Topic,
				Title: listed[id].Title, Tags: listed[id].Tags, Time: e.Time, State: string(at.state(e))}
		}
		relate(&nodes[i], facts, lives[id], rows)
	}
	return thread.New(asked.ID, nodes), nil
}

// rowsOf returns the rows of the wanted ids that are stored here, by id.
func (s *Store) rowsOf(wanted func(id string) bool) (map[string]Entry, error) {
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return nil, err
	}
	defer d.Close()
	found, _, err := s.at.Scan(d, store.Choice{Is: func(e Entry) bool { return wanted(e.ID) }})
	rows := make(map[string]Entry, len(found))
	for _, e := range found {
		rows[strings.Clone(e.ID)] = e
	}
	return rows, err
}

// relate sets what a node answers and supersedes, and the other successors of those handoffs.
func relate(n *thread.Node, facts *life.Facts, h life.Handoff, rows map[string]Entry) {
	n.Re = h.Re
	for _, id := range h.Supersedes {
		old, here := rows[id]
		successors := facts.Successors(old)
		switch {
		case !here:
			n.Supersedes = append(n.Supersedes, id)
		case !slices.Contains(successors, n.ID):
			n.Claims = append(n.Claims, id)
		default:
			n.Supersedes = append(n.Supersedes, id)
			for _, other := range successors {
				if other != n.ID && !slices.Contains(n.Beside, other) {
					n.Beside = append(n.Beside, other)
				}
			}
		}
	}
}
