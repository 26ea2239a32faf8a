package mcp

import (
	"context"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

type searchArgs struct {
	Words string `json:"words"`
	chosen
	All   bool `json:"all,omitempty" jsonschema:"with every word"`
	Limit int  `json:"limit,omitempty" jsonschema:"default 10"`
}

const defaultFound = 10

// search finds handoffs like `handoff search`. It returns no text of theirs; handoff_read does.
func (p project) search(ctx context.Context, in searchArgs) (any, error) {
	filter, err := in.filter()
	if err != nil {
		return nil, err
	}
	_, s, err := p.open()
	if err != nil {
		return nil, err
	}
	if in.Limit <= 0 {
		in.Limit = defaultFound
	}
	found, err := s.Search(ctx, handoff.Query{Filter: filter, Words: strings.Fields(in.Words), Every: in.All,
		Limit: min(in.Limit, defaultLimit)})
	if err != nil {
		return nil, err
	}
	rows := make([]handoff.Entry, len(found.Matches))
	for i, m := range found.Matches {
		rows[i] = m.Row
	}
	out := matched{about: p.aboutProject(""), Handoffs: newestListed(s, rows), Total: found.Total}
	if len(rows) > 0 {
		out.Next = "handoff_read with an id prints one"
	}
	return out, nil
}

// matched is the result of search, the best first.
type matched struct {
	about
	Handoffs []listedOne `json:"handoffs"`
	Total    int         `json:"total"`
}

type nextArgs struct {
	Operator string `json:"operator,omitempty"`
	From     string `json:"from,omitempty"`
	Topic    string `json:"topic,omitempty"`
	Tag      string `json:"tag,omitempty"`
	Take     bool   `json:"take,omitempty" jsonschema:"take it too"`
	Offline  bool   `json:"offline,omitempty"`
}

// next shows, and takes, what to work on next, like `handoff next`.
func (p project) next(ctx context.Context, in nextArgs) (any, error) {
	_, s, who, err := p.openAs(in.Operator, in.Offline)
	if err != nil {
		return nil, err
	}
	filter := handoff.Filter{To: who.Operator, From: in.From, Topic: in.Topic, Tag: in.Tag}
	nothing := listed{about: p.aboutProject("nothing to do for " + who.Operator), Handoffs: []listedOne{}}
	if in.Take {
		got, ok, err := s.Lifecycle().TakeNext(ctx, filter, who)
		if !ok {
			return nothing, err
		}
		p.hold(ctx, s, who.Operator)
		return acted{p.aboutProject("handoff_read with its id; handoff_done finishes it"), got}, err
	}
	e, ok, err := s.Next(filter, p.session, nil)
	if err != nil || !ok {
		return nothing, err
	}
	return listed{about: p.aboutProject("handoff_read with its id, then handoff_take"),
		Handoffs: newestListed(s, []handoff.Entry{e})}, nil
}
