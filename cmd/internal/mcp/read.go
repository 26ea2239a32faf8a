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
	roomForWords = 1000 // characters for the text around the body
)

type listArgs struct {
	To       string `json:"to,omitempty" jsonschema:"only to this operator"`
	From     string `json:"from,omitempty" jsonschema:"only from this operator"`
	Topic    string `json:"topic,omitempty" jsonschema:"only with this topic"`
	Tag      string `json:"tag,omitempty" jsonschema:"only with this tag"`
	Since    string `json:"since,omitempty" jsonschema:"not older than this RFC 3339 time, date, or duration such as 48h or 7d"`
	Unread   bool   `json:"unread,omitempty" jsonschema:"only unread by the recipient (or to)"`
	Offered  bool   `json:"offered,omitempty" jsonschema:"only unread, but a session of the recipient was told"`
	All      bool   `json:"all,omitempty" jsonschema:"with unread, include superseded, expired, done and archived ones"`
	State    string `json:"state,omitempty" jsonschema:"only in this state: unread, offered, read, taken, awaiting, done, superseded, expired or archived"`
	Orphaned bool   `json:"orphaned,omitempty" jsonschema:"only unread because the recipient left, never read any, or was not told for 14 days"`
	Limit    int    `json:"limit,omitempty" jsonschema:"at most this many, the newest (default 100)"`
}

type listed struct {
	about
	Handoffs []listedOne `json:"handoffs"`
	Older    int         `json:"older"`             // the number of omitted older handoffs
	Lost     string      `json:"warning,omitempty"` // why some handoffs cannot be listed
}

// A listedOne is an entry without its file name, which is not verified.
type listedOne struct {
	handoff.Listed
	File string `json:"file_path,omitempty"`
}

func (p project) list(_ context.Context, in listArgs) (result, error) {
	f := handoff.Filter{To: in.To, From: in.From, Topic: in.Topic, Tag: in.Tag, Unread: in.Unread, Offered: in.Offered,
		Orphaned: in.Orphaned, Present: in.State == "" && !in.All,
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
	out.Handoffs = newestListed(s, entries[max(0, len(entries)-limit):])
	out.Older = len(entries) - len(out.Handoffs)
	out.about = p.aboutProject("")
	if len(out.Handoffs) > 0 {
		out.Next = "handoff_read with an id prints one"
	}
	return result{data: out}, nil
}

// newestListed returns the last entries that fit into a result.
func newestListed(s *handoff.Store, entries []handoff.Entry) []listedOne {
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
		out[i].Listed = one.ForAgents()
	}
	return out
}

type readArgs struct {
	ID       string `json:"id" jsonschema:"the id of the handoff, or a unique prefix of 4 or more hex digits"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"the maximum length of the body (at most 30,000 in all)"`
	Offset   int    `json:"offset,omitempty" jsonschema:"skip this many characters of the body, to continue where it was cut"`
}

// read returns the body in its frame, without structured content, which some agents would show their model
// instead.
func (p project) read(_ context.Context, in readArgs) (result, error) {
	found, s, err := p.open()
	if err != nil {
		return result{}, err
	}
	got, err := s.Read(in.ID)
	if err != nil {
		return result{}, err
	}
	text, _, err := handoff.Framed(got, handoff.Frame{MaxChars: max(in.MaxChars, 0),
		Whole: handoff.MaxForAgents - roomForWords, Offset: max(in.Offset, 0),
		More: func(next int) string { return fmt.Sprintf("handoff_read with id %s and offset %d", got.Entry.ID, next) }})
	if line := cli.WorkLine(found, got.References); line != "" {
		text += line + "\n"
	}
	return result{text: text + next(s, got, found.Me())}, err
}
