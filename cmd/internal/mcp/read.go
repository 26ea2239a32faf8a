package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const defaultLimit = 100

type listArgs struct {
	Query  string `json:"query,omitempty" jsonschema:"words to find, the best first"`
	To     string `json:"to,omitempty"`
	From   string `json:"from,omitempty"`
	Topic  string `json:"topic,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Since  string `json:"since,omitempty" jsonschema:"a time, or an age such as 48h or 7d"`
	Unread bool   `json:"unread,omitempty"`
	All    bool   `json:"all,omitempty" jsonschema:"closed and archived ones too"`
	State  string `json:"state,omitempty" jsonschema:"such as taken or done"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the newest (default 100)"`
}

// filter returns the filter of the arguments.
func (in listArgs) filter() (f handoff.Filter, err error) {
	f = handoff.Filter{To: in.To, From: in.From, Topic: in.Topic, Tag: in.Tag, Unread: in.Unread, All: in.All,
		State: handoff.State(in.State), Present: in.State == "" && !in.All && in.Query == ""}
	if in.Since != "" {
		f.Since, err = handoff.ParseSince(in.Since, time.Now())
	}
	return f, err
}

type listed struct {
	Handoffs []listedOne `json:"handoffs"`
	Older    int         `json:"older"` // the number of omitted handoffs
}

// A listedOne is an entry without its file name, which is not verified.
type listedOne struct {
	handoff.Entry
	File string `json:"file_path,omitempty"`
}

// list lists handoffs like `handoff list`, or finds them like `handoff search`. It returns no text of theirs.
func (p project) list(ctx context.Context, in listArgs) (any, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	var out listed
	_, s, err := p.ProjectStore()
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	var entries []handoff.Entry
	total := 0
	if in.Query == "" {
		var chosen handoff.Inbox
		chosen, err = s.Chosen(f)
		if entries, total = chosen.Newest, len(chosen.Newest); chosen.Missing > 0 {
			p.Note(fmt.Sprint(chosen.Missing, " are missing: run `handoff verify`"))
		}
		entries = entries[max(0, total-limit):]
	} else {
		var found handoff.Found
		found, err = s.Search(ctx, handoff.Query{Filter: f, Words: strings.Fields(in.Query), Limit: limit})
		for _, m := range slices.Backward(found.Matches) { // the best last
			entries = append(entries, m.Entry)
		}
		total = found.Total
	}
	if err != nil {
		return nil, err
	}
	out.Handoffs = newestListed(s, entries)
	if out.Older = total - len(out.Handoffs); in.Query != "" {
		slices.Reverse(out.Handoffs)
	}
	return out, nil
}

// newestListed returns the last entries that fit into a result.
func newestListed(s *handoff.Store, entries []handoff.Entry) []listedOne {
	all := s.Listed(entries)
	room := handoff.MaxForAgents - cli.RoomForWords
	for i, one := range slices.Backward(all) {
		text, err := json.Marshal(one)
		if room -= len(text); err != nil || room < 0 {
			all = all[i+1:]
			break
		}
	}
	out := make([]listedOne, len(all))
	for i, one := range all {
		out[i].Entry = one.ForAgents()
	}
	return out
}

type readArgs struct {
	ID       string `json:"id"`
	MaxChars int    `json:"max_chars,omitempty"`
	Offset   int    `json:"offset,omitempty" jsonschema:"skip these characters"`
}

// read returns the body in its frame, without structured content, which some agents would show their model
// instead.
func (p project) read(ctx context.Context, in readArgs) (any, error) {
	found, s, err := p.ProjectStore()
	if err != nil {
		return nil, err
	}
	got, err := s.Read(in.ID)
	if err != nil {
		return nil, err
	}
	return p.framed(ctx, found, got, handoff.Frame{MaxChars: max(in.MaxChars, 0), Offset: in.Offset}) +
		next(s, got, found.Me()), nil
}

// framed returns a body in its frame, and how its commit differs from the work tree.
func (p project) framed(ctx context.Context, found handoff.Project, got handoff.Stored, f handoff.Frame) string {
	f.Whole = handoff.MaxForAgents - cli.RoomForWords
	f.More = func(next int) string {
		return fmt.Sprintf("handoff_read with id %s and offset %d", cli.Short(got.Entry.ID, 12), next)
	}
	text, _ := handoff.Framed(got, f)
	if line := cli.WorkOf(found).Of(ctx, got.References).Line(); line != "" {
		text += line + "\n"
	}
	return text
}
