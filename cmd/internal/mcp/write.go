package mcp

import (
	"context"
	"path/filepath"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type writeArgs struct {
	Body   string   `json:"body" jsonschema:"Markdown; or a document with frontmatter; or a record as JSON"`
	From   string   `json:"from,omitempty"`
	To     string   `json:"to,omitempty"`
	Topic  string   `json:"topic,omitempty"`
	TS     string   `json:"ts,omitempty" jsonschema:"to repeat a call: its time"`
	Tag    []string `json:"tag,omitempty"`
	Ref    []string `json:"ref,omitempty" jsonschema:"references"`
	Kind   string   `json:"kind,omitempty" jsonschema:"packet, universal or run"`
	File   []string `json:"file,omitempty" jsonschema:"files of the work, for handoff_check"`
	Redact bool     `json:"redact,omitempty" jsonschema:"replace credentials"`
}

// write stores a text like `handoff write -`. There is no argument that allows a credential: only people decide
// that.
func (p project) write(ctx context.Context, in writeArgs) (any, error) {
	here := *p.App
	here.Gate = cli.Gate{Redact: in.Redact}
	found, s, err := here.ProjectStore()
	if err != nil {
		return nil, err
	}
	body := []byte(in.Body)
	if in.From == "" && !handoff.HasFrontmatter(body) && (in.To != "" || !cli.LooksLikeObject(body)) {
		if in.From = found.Me(); in.From == "" {
			return nil, unknownOperator("from")
		}
	}
	fields := cli.Fields{From: in.From, To: in.To, Topic: in.Topic, Time: in.TS, Tags: in.Tag, References: in.Ref}
	source, err := here.TextSource("body", body, fields, in.Kind,
		cli.Recording{Files: in.File, Session: true})
	if err != nil {
		return nil, err
	}
	if err := p.admitFrom(found, source); err != nil {
		return nil, err
	}
	if err := checkRecipient(s, in.To); err != nil {
		return nil, err
	}
	receipts, err := s.WriteAll(ctx, []handoff.Source{source})
	if err != nil {
		return nil, err
	}
	receipts[0].Path = filepath.Base(receipts[0].Path) // the name of a directory could be a sentence
	out := written{Receipt: receipts[0]}
	if source.Make == nil && cli.LooksLikeObject(body) {
		p.Note("the body is not a known record and is stored as a plain handoff; add kind to see its faults")
	}
	if source.Make != nil || handoff.HasFrontmatter(body) {
		out.Next = "handoff_check with its id checks whether work can continue from it"
	}
	return out, nil
}

// admitFrom refuses a source whose sender is not the server's only operator, in any form.
func (p project) admitFrom(found handoff.Project, source handoff.Source) error {
	if p.pinned == "" {
		return nil
	}
	doc, err := handoff.Parse(source, found.Options.Rules, found.Options.MaxDocumentBytes)
	if err == nil {
		_, err = p.acting(found, "from", doc.From)
	}
	return err
}

// checkRecipient refuses a new recipient if a known name is similar.
func checkRecipient(s *handoff.Store, to string) error {
	near, err := s.Registry().Meant(to)
	if list, _ := s.Registry().Policy(); near == "" || err != nil || list != nil {
		return err // the operators file decides
	}
	return fault.Invalid("correct to, or ask the user", "%s is new here; did you mean %s?", fault.Own(to),
		fault.Own(near))
}

type replyArgs struct {
	ID     string   `json:"id"`
	Body   string   `json:"body"`
	TS     string   `json:"ts,omitempty"`
	Tag    []string `json:"tag,omitempty"`
	Ref    []string `json:"ref,omitempty"`
	Redact bool     `json:"redact,omitempty"`
}

// reply stores a text like `handoff reply ID -`.
func (p project) reply(ctx context.Context, in replyArgs) (any, error) {
	found, s, err := p.ProjectStore()
	if err != nil {
		return nil, err
	}
	if in.ID == "@" {
		if in.ID, err = p.Taken(s, found.Me(), p.session); err != nil {
			return nil, err
		}
	}
	e, err := s.Find(in.ID)
	if err != nil {
		return nil, err
	}
	doc := handoff.Reply(e, found.Me())
	return p.write(ctx, writeArgs{Body: in.Body, From: doc.From, To: doc.To, Topic: doc.Topic, TS: in.TS, Tag: in.Tag,
		Ref: append(doc.References, in.Ref...), Redact: in.Redact})
}

// written is a receipt of write with the next step.
type written struct {
	Next string `json:"next,omitempty"`
	handoff.Receipt
}
