package mcp

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

const defaultLimit = 100

type listArgs struct {
	To       string `json:"to,omitempty" jsonschema:"only those to this operator"`
	From     string `json:"from,omitempty" jsonschema:"only those from this operator"`
	Topic    string `json:"topic,omitempty" jsonschema:"only those about this topic"`
	Tag      string `json:"tag,omitempty" jsonschema:"only those with this tag"`
	Since    string `json:"since,omitempty" jsonschema:"only those not older than this RFC 3339 time, date, or duration such as 48h or 7d"`
	Unread   bool   `json:"unread,omitempty" jsonschema:"only those that their recipient (or to) has not marked as read"`
	Offered  bool   `json:"offered,omitempty" jsonschema:"only unread ones that a session of their recipient was told of"`
	Orphaned bool   `json:"orphaned,omitempty" jsonschema:"only those to operators who have never marked anything as read"`
	Limit    int    `json:"limit,omitempty" jsonschema:"at most this many, the newest (default 100)"`
}

type listed struct {
	Handoffs []handoff.Listed `json:"handoffs"`
	Older    int              `json:"older"` // that the limit left out
}

func (p project) list(_ context.Context, in listArgs) (result, error) {
	f := handoff.Filter{To: in.To, From: in.From, Topic: in.Topic, Tag: in.Tag, Unread: in.Unread, Offered: in.Offered, Orphaned: in.Orphaned}
	if in.Since != "" {
		var err error
		if f.Since, err = handoff.ParseSince(in.Since, time.Now()); err != nil {
			return result{}, err
		}
	}
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
	older := max(0, len(entries)-limit)
	return result{data: listed{s.Listed(entries[older:]), older}}, nil
}

type readArgs struct {
	ID       string `json:"id" jsonschema:"the id of the handoff, or a unique prefix of 8 or more hex digits"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"cut the body after this many characters"`
}

// A readOut is what the frame says, for programs. The body is in the frame alone.
type readOut struct {
	ID         string   `json:"handoff_id"`
	From       string   `json:"from"`
	To         string   `json:"to"`
	Topic      string   `json:"topic"`
	Time       string   `json:"ts_utc"`
	Path       string   `json:"file_path"`
	References int      `json:"references_count"`
	Flags      []string `json:"flags"` // what the body looks like an attempt at
}

func (p project) read(_ context.Context, in readArgs) (result, error) {
	_, s, err := p.open()
	if err != nil {
		return result{}, err
	}
	got, err := s.Read(in.ID)
	if err != nil {
		return result{}, err
	}
	text, flags, err := handoff.Framed(got, max(in.MaxChars, 0), false)
	if flags == nil {
		flags = []string{}
	}
	e := got.Entry
	return result{text, readOut{e.ID, e.From, e.To, e.Topic, e.Time, got.Path, len(got.References), flags}}, err
}

// resource is read by its URI.
func (p project) resource(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, _ := strings.CutPrefix(req.Params.URI, "handoff://")
	r, err := p.read(context.Background(), readArgs{ID: id})
	if errors.Is(err, handoff.ErrInvalid) {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		f := newFailure(err)
		return nil, errors.New(f.Class + ": " + f.Message)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: r.text}}}, nil
}
