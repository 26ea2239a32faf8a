package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const (
	defaultLimit = 100
	roomForWords = 1000 // characters of our own words around what is shown
)

type listArgs struct {
	To       string `json:"to,omitempty" jsonschema:"only those to this operator"`
	From     string `json:"from,omitempty" jsonschema:"only those from this operator"`
	Topic    string `json:"topic,omitempty" jsonschema:"only those about this topic"`
	Tag      string `json:"tag,omitempty" jsonschema:"only those with this tag"`
	Since    string `json:"since,omitempty" jsonschema:"only those not older than this RFC 3339 time, date, or duration such as 48h or 7d"`
	Unread   bool   `json:"unread,omitempty" jsonschema:"only those that their recipient (or to) has not marked as read"`
	Offered  bool   `json:"offered,omitempty" jsonschema:"only unread ones that a session of their recipient was told of"`
	All      bool   `json:"all,omitempty" jsonschema:"with unread, also those that are superseded, expired, done or archived"`
	State    string `json:"state,omitempty" jsonschema:"only those in this state: unread, offered, read, taken, awaiting, done, superseded, expired or archived"`
	Orphaned bool   `json:"orphaned,omitempty" jsonschema:"only those that nobody reads: to operators who have never read anything or have left, or of which nobody was told for 14 days"`
	Limit    int    `json:"limit,omitempty" jsonschema:"at most this many, the newest (default 100)"`
}

type listed struct {
	about
	Handoffs []listedOne `json:"handoffs"`
	Older    int         `json:"older"`             // that were left out
	Lost     string      `json:"warning,omitempty"` // why not all that are there can be listed
}

// A listedOne is a handoff without the name of its file, which nobody has proven.
type listedOne struct {
	handoff.Listed
	File string `json:"file_path,omitempty"`
}

func (p project) list(_ context.Context, in listArgs) (result, error) {
	f := handoff.Filter{To: in.To, From: in.From, Topic: in.Topic, Tag: in.Tag, Unread: in.Unread, Offered: in.Offered, Orphaned: in.Orphaned, Present: in.State == "" && !in.All,
		All: in.All, State: handoff.State(in.State)}
	if in.Since != "" {
		var err error
		if f.Since, err = handoff.ParseSince(in.Since, time.Now()); err != nil {
			return result{}, err
		}
	}
	var out listed
	p.lost = func(err error) { out.Lost = fault.Plain(err) }
	_, s, err := p.open()
	if err != nil {
		return result{}, err
	}
	entries, err := s.List(f)
	if err != nil {
		return result{}, err
	}
	limit := in.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	out.Handoffs = newest(s, entries[max(0, len(entries)-limit):])
	out.Older = len(entries) - len(out.Handoffs)
	out.about = p.about("")
	if len(out.Handoffs) > 0 {
		out.Next = "handoff_read with an id prints one"
	}
	return result{data: out}, nil
}

// newest returns as many of the last entries as a result has room for.
func newest(s *handoff.Store, entries []handoff.Entry) []listedOne {
	all := s.Listed(entries)
	room := handoff.MaxForAgents - roomForWords
	for i, one := range slices.Backward(all) {
		text, err := json.Marshal(one)
		if room -= len(text); err != nil || room < 0 {
			all = all[i+1:]
			break
		}
	}
	out := make([]listedOne, len(all))
	for i, one := range all {
		out[i].Listed = one
	}
	return out
}

type readArgs struct {
	ID       string `json:"id" jsonschema:"the id of the handoff, or a unique prefix of 4 or more hex digits"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"cut the body after this many characters (at most 30,000 in all)"`
	Offset   int    `json:"offset,omitempty" jsonschema:"leave out this many characters of the body, to read on where it was cut"`
}

// read shows the body in its frame alone: some agents show their model nothing but structured content, if there is any.
func (p project) read(_ context.Context, in readArgs) (result, error) {
	found, s, err := p.open()
	if err != nil {
		return result{}, err
	}
	got, err := s.Read(in.ID)
	if err != nil {
		return result{}, err
	}
	text, _, err := handoff.Framed(got, handoff.Frame{MaxChars: max(in.MaxChars, 0), Whole: handoff.MaxForAgents - roomForWords, Offset: max(in.Offset, 0),
		More: func(next int) string { return fmt.Sprintf("handoff_read with id %s and offset %d", got.Entry.ID, next) }})
	if line := cli.WorkLine(found, got.References); line != "" {
		text += line + "\n"
	}
	return result{text: text + next(s, got, found.Me())}, err
}
