package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Document is a document to store. It is valid, and HandoffID is its id.
type Document struct {
	document.Document                        // its body may be left out
	Name              string                 // the caller's name for it, for messages
	Size              int                    // of its body
	Verification      string                 // of its sender and recipient
	Redacted          []string               // the rules by which credentials were replaced
	Allowed           []string               // the rules by which it has credentials that were allowed
	Source            string                 // the file that it was written from, below the project root
	Record            *log.Record            // if it is a structured record
	Signature         []byte                 // armored; nil if it is not signed
	Here              *log.Here              // how it came; nil if it was made here
	Text              func() ([]byte, error) // the stored form; called once

	file string
}

// An Outcome is the result for one document.
type Outcome struct {
	File       string
	IsExisting bool // it was stored before
	err        error
}

const (
	maxNames = 100 // base.md, base-2.md … base-100.md

	stagedAtOnce = 64 // bodies between two reports of progress
	stagers      = 8  // that write them: each waits for the disk
)

// Write stores documents with one change, all or none. before sees what the store said before; after, which may be nil,
// adds more events.
func (s *Store) Write(ctx context.Context, docs []Document, before func(*Change), after func(*Change) error) (
	outcomes []Outcome, err error) {
	w := writing{docs: docs, outcomes: make([]Outcome, len(docs)), temps: make([]string, len(docs)),
		signed: map[string]bool{}}
	if w.dir, err = s.make(s.Opt.Dir); err != nil {
		return w.outcomes, err
	}
	defer w.dir.Close()
	defer w.discard()
	if err := w.stage(s); err != nil {
		return w.outcomes, err
	}
	return w.outcomes, s.Change(ctx, func(c *Change) error {
		before(c)
		for i := range docs {
			if err := w.plan(c, i); err != nil {
				return err
			}
		}
		err := fault.Join(w.outcomes, func(o Outcome) error { return o.err })
		if err == nil && after != nil {
			err = after(c)
		}
		return err
	})
}

// A writing is one run of Write.
type writing struct {
	dir      *disk.Dir
	docs     []Document
	outcomes []Outcome
	temps    []string        // the names of the staged bodies
	signed   map[string]bool // the documents that got another signature, by id
}

// stage writes the bodies to the disk, under temporary names.
func (w *writing) stage(s *Store) (err error) {
	perm := fs.FileMode(0o644)
	if w.dir.Modes.IsShared {
		perm = 0o664
	}
	n := len(w.docs)
	for at := 0; at < n; at += stagedAtOnce {
		disk.Each(min(stagedAtOnce, n-at), stagers, func(i int) {
			text, err := w.docs[at+i].Text()
			if err == nil {
				w.temps[at+i], err = w.dir.Stage(text, perm)
			}
			w.outcomes[at+i].err = err
		})
		if n > 1 {
			s.Progress("storing", min(at+stagedAtOnce, n), n)
		}
	}
	for i := range w.docs {
		if err := w.outcomes[i].err; err != nil {
			return err
		}
		d := &w.docs[i]
		if len(d.Signature) == 0 {
			continue
		}
		if before, err := s.Signature(d.HandoffID); err != nil || !bytes.Equal(before, d.Signature) {
			w.signed[d.HandoffID] = true
			if err := s.SetSignature(d.HandoffID, d.Signature); err != nil {
				return err
			}
		}
	}
	return nil
}

// discard removes the staged bodies that have no name.
func (w *writing) discard() {
	for _, temp := range w.temps {
		_ = w.dir.Remove(temp)
	}
}

// plan plans to store a document. It returns only errors that concern all documents.
func (w *writing) plan(c *Change, i int) error {
	d, o := w.docs[i], &w.outcomes[i]
	if name := c.planned[d.HandoffID]; name != "" {
		o.File, o.IsExisting = name, true
		return nil
	}
	h := c.Of(d.HandoffID)
	if h != nil && !h.Pruned && !h.Lost {
		if _, _, err := c.store.Load(c.dir, h); err == nil {
			o.File, o.IsExisting = h.File, true
			if w.signed[h.ID] && d.Here == nil {
				c.addSign(h, cmp.Or(c.store.Opt.Operator, h.From), d.Signature)
			}
			return nil
		} else if !errors.Is(err, fault.ErrIntegrity) { // it may be whole
			return err
		}
	}
	name, isThere, err := c.name(d)
	if err != nil {
		if o.err = err; fault.Class(err) == nil {
			return err
		}
		return nil
	}
	if isThere {
		if err := c.dir.SyncFile(name); err != nil {
			return err
		}
		c.isSync = true
	} else {
		c.links = append(c.links, link{w.temps[i], name})
	}
	c.names[name], o.File, d.file = true, name, name
	kind := log.Write
	if d.Here != nil {
		kind = log.Import
	}
	c.addDocument(kind, d)
	return nil
}

// addDocument plans the event of a document in a file. The facts have it at once, so that it can be marked or taken.
func (c *Change) addDocument(kind string, d Document) {
	p := d.payload(c.store)
	p.Again = c.Of(d.HandoffID) != nil
	c.events = append(c.events, log.Pending{Type: kind, Payload: p, Redacted: d.Redacted})
	c.planned[d.HandoffID] = d.file
	c.Facts.Add([]log.Event{{Type: kind, Payload: p}})
}

// name returns the first free name of a document, or the name of a file that holds it.
func (c *Change) name(d Document) (name string, isThere bool, err error) {
	withID := c.store.Opt.Git.IsShared()
	for n := 1; n <= maxNames; n++ {
		name = document.FileName(d.Document, n, withID)
		if c.names[name] {
			continue
		}
		switch stored, _, err := c.store.readDocument(c.dir, name); {
		case errors.Is(err, fs.ErrNotExist):
			return name, false, nil
		case err == nil && stored.HandoffID == d.HandoffID:
			return name, true, nil
		case err != nil && fault.Class(err) == nil:
			return "", false, err
		}
	}
	return "", false, fault.Config("change topic or ts_utc",
		"%s%s and its %d numbered names are in use by other handoffs",
		fault.Prefixed(d.Name), document.FileName(d.Document, 1, withID), maxNames-1)
}

// payload returns the payload of the event of a document in a file.
func (d Document) payload(s *Store) log.Payload {
	tags, count, size := d.Tags, len(d.References), d.Size
	if tags == nil {
		tags = []string{}
	}
	p := log.Payload{ID: d.HandoffID, From: d.From, To: d.To, Topic: d.Topic, Time: d.Time, File: s.RelPath(d.file),
		Version: d.SchemaVersion, ReferencesCount: &count, Tags: tags, Size: &size, Verification: d.Verification,
		Allowed: d.Allowed, Source: d.Source, Record: d.Record, Here: d.Here}
	for _, reference := range d.References {
		if f, err := relation.Parse(reference); err == nil &&
			(f.Kind == relation.Re || f.Kind == relation.Supersedes || f.Kind == relation.Expires) {
			p.References = append(p.References, reference)
		}
	}
	return p
}

// SetSignature stores the signature of a document, durably.
func (s *Store) SetSignature(id string, armored []byte) error {
	d, err := s.make(filepath.Join(s.Opt.Dir, disk.Signatures))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Replace(disk.SignatureFile(id), armored, 0o644, true)
}

// addSign plans the event of another signature of a handoff.
func (c *Change) addSign(h *facts.Handoff, operator string, armored []byte) {
	at := c.TimeFor(h, c.Life(h), log.Sign, operator)
	c.Add(log.Sign, log.Payload{ID: h.ID, Operator: operator, Time: log.Stamp(at), Signature: string(armored)})
}
