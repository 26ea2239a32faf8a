package replica

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// A catch is what came: documents to import, and the marks and tokens of the logs.
type catch struct {
	sources []handoff.Source
	held    held              // what waited, and what will; its documents are those of the sources
	waited  int               // how many of the first of them had been taken from their writers before
	said    map[string][]said // by the new events of each writer
	moves   map[string]string // of refs, once all is stored
	near    bool              // they are of another work tree of the same user
	all     bool              // also of what others tell at second hand
	reached progress          // in the log of another work tree
	past    map[string]*past  // of what was pruned here, and others tell of
	noted   map[handoff.Consumption]bool
	pruned  map[string]int // where a tombstone is among those that are held
}

// receive fetches and imports what others have published.
func (x *syncing) receive(ctx ctx) error {
	if err := x.fetch(ctx); err != nil {
		return err
	}
	c := &catch{said: make(map[string][]said), moves: make(map[string]string)}
	var err error
	if c.held, err = loadHeld(x.out); err != nil {
		return err
	}
	if err := x.takeHeld(ctx, c); err != nil {
		return err
	}
	for some := range slices.Chunk(x.offers(), offersAtOnce) {
		good, err := x.look(ctx, some)
		if err != nil {
			return err
		}
		if err := x.take(ctx, c, good); err != nil {
			return err
		}
	}
	if err := x.addSignatures(ctx, c); err != nil {
		return err
	}
	return x.store(ctx, c)
}

// addSignatures gives the documents their signatures, as far as they can be read: also those that others
// have, or that were made later.
func (x *syncing) addSignatures(ctx ctx, c *catch) error {
	others := make(map[string][]string)
	for _, s := range c.held.Signatures {
		others[s.ID] = append(others[s.ID], s.Blob)
	}
	var want []wanted
	var of []int
	for i, d := range c.held.Documents {
		for _, blob := range append([]string{d.Signature}, others[d.ID]...) {
			if blob != "" {
				want, of = append(want, wanted{blob, layout.MaxSignature}), append(of, i)
			}
		}
	}
	texts, err := x.repo.read(ctx, want)
	for n, text := range texts {
		if s := &c.sources[of[n]]; len(text) > 0 {
			s.Signatures = append(s.Signatures, string(text))
		}
	}
	return err
}

// parse proves the writer file and the log of an offer, and that each document can be read, and
// returns what the new events say; why says what is wrong. The error is one of this replica.
func (o *offer) parse(got blobs) (found []said, why string, err error) {
	if slices.ContainsFunc(got.parts, part.isMissing) {
		return nil, errNoText.Error(), nil
	}
	n := 0
	next := func() (text []byte) {
		if err == nil {
			text, err = got.text(n)
		}
		n++
		return text
	}
	if o.old == "" {
		why = o.parseWriter(next())
	}
	if why == "" && err == nil {
		found, why = o.parseLogs(next)
	}
	if why == "" && err == nil {
		why, err = o.parseDocuments(got)
	}
	return found, why, err
}

// first is the place of the first document among the blobs of an offer.
func (o *offer) first(got blobs) int { return len(got.parts) - len(o.documents) }

// parseDocuments says which document is not what its name says, "" if all are. The error is one of
// this replica.
func (o *offer) parseDocuments(got blobs) (why string, err error) {
	isRight, errs := make([]bool, len(o.documents)), make([]error, len(o.documents))
	parallel.Each(len(o.documents), parallel.Workers(), func(i int) {
		text, err := got.text(o.first(got) + i)
		doc, faults := document.ParseStored(text)
		isRight[i], errs[i] = len(faults) == 0 && o.documents[i].name == fileOf(doc.HandoffID, doc.Time+"0000-00-00"), err
	})
	if err = errors.Join(errs...); err != nil {
		return "", err
	}
	if i := slices.Index(isRight, false); i >= 0 {
		why = o.documents[i].name + " is not what its name says"
	}
	return why, nil
}

func (o *offer) parseWriter(text []byte) (why string) {
	var w struct{ Format, Writer string }
	if err := json.Unmarshal(text, &w); err != nil || w.Format != "handoff-writer/1" || w.Writer != o.writer {
		return "its writer.json is of another writer or format"
	}
	return ""
}

// parseLogs goes through the new events. next gives the last file that was known, if there was one,
// and those that are new.
func (o *offer) parseLogs(next func() []byte) (found []said, why string) {
	if len(o.logs) == 0 {
		return nil, ""
	}
	p, before := progress{}, []byte(nil)
	first := logNumber(o.logs[0].name)
	if o.logs[0].status == "M" || first > 1 {
		before = next()
	}
	if p.Events = (first - 1) * perFile; len(before) > 0 {
		lines := bytes.Split(bytes.TrimSuffix(before, []byte("\n")), []byte("\n"))
		if o.logs[0].status == "M" {
			p.Events += len(lines)
		} else if len(lines) != perFile {
			return nil, "its log has a gap"
		}
		p.Hash, _ = eventlog.HashLine(lines[len(lines)-1])
	}
	for i := range o.logs {
		text := next()
		if i == 0 && o.logs[0].status == "M" {
			rest, grows := bytes.CutPrefix(text, before)
			if !grows {
				return nil, "its log was rewritten"
			}
			text = rest
		}
		said, err := p.followAll(text)
		if err != nil {
			return nil, err.Error()
		}
		if n := first + i; p.Events > n*perFile || i+1 < len(o.logs) && p.Events != n*perFile {
			return nil, fmt.Sprintf("%s has not %d events", o.logs[i].name, perFile)
		}
		found = append(found, said...)
	}
	return found, ""
}

// followAll walks lines of a log and returns what they say. One that does not continue the chain, or is
// cut, is an error about all of them.
func (p *progress) followAll(text []byte) (all []said, err error) {
	for line := range bytes.Lines(text) {
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		s, err := p.follow(eventlog.ParseEvent(eventlog.Line{Text: line}))
		if err == nil && !whole {
			err = errors.New("its log ends within a line")
		}
		if err != nil {
			return nil, err
		}
		if s.Type != eventlog.TypeWrite && s.Type != eventlog.TypeImport { // these come with their documents
			all = append(all, s)
		}
	}
	return all, nil
}

// grow makes room for more documents.
func (c *catch) grow(n int) {
	c.held.Documents, c.sources = slices.Grow(c.held.Documents, n), slices.Grow(c.sources, n)
}

// add adds a document, the n-th of some blobs.
func (c *catch) add(d heldDocument, origin *handoff.Origin, got blobs, n int) {
	c.held.Documents = append(c.held.Documents, d)
	c.sources = append(c.sources, handoff.Source{Name: d.ID, ID: d.ID, Origin: origin,
		Open: func() (src handoff.Source, err error) {
			src.Text, err = got.text(n)
			return src, err
		}})
}

// note adds the mark or the token that an event is about. What no store can hold is passed over, and
// what its writer has from others: their logs have it too. What is done once counts as it was claimed, not as
// a log has it.
func (c *catch) note(writer string, s said) {
	line := s.Consumption
	line.Operator = s.Operator
	switch {
	case s.Synced && !c.all:
	case s.Type == eventlog.TypePrune:
		c.notePruned(writer, s)
	case s.Type == eventlog.TypeMarkRead:
		if form.IsID(s.HandoffID) && form.IsSlug(s.Operator, document.MaxName) && form.IsInstant(s.Time) {
			c.held.addMark(s.HandoffID, mark{s.Operator, s.Time})
		}
	case eventlog.IsConsumption(s.Type) && isLine(line) && (c.near || isFiling(line)) && !c.isNoted(line):
		c.held.Tokens = append(c.held.Tokens, line)
	}
}

// isFiling reports whether a line is about what every clone may do by itself.
func isFiling(c handoff.Consumption) bool {
	act := c.Act()
	return act == eventlog.ActArchive || act == eventlog.ActUnarchive || act.IsVerdict()
}

// isNoted reports whether a line was noted before, and remembers it.
func (c *catch) isNoted(line handoff.Consumption) bool {
	if c.noted == nil {
		c.noted = make(map[handoff.Consumption]bool)
		for _, t := range c.held.Tokens {
			c.noted[t] = true
		}
	}
	was := c.noted[line]
	c.noted[line] = true
	return was
}

// takeHeld makes sources of what waited.
func (x *syncing) takeHeld(ctx ctx, c *catch) error {
	waited := c.held.Documents
	c.held.Documents = nil
	want := make([]wanted, len(waited))
	for i, d := range waited {
		want[i] = wanted{d.Blob, layout.MaxDocument}
	}
	got, err := x.repo.lay(ctx, want)
	if err != nil {
		return err
	}
	for i, d := range waited {
		if !got.parts[i].isMissing() { // else sync.git was lost, and it comes again
			c.add(d, &handoff.Origin{Writer: d.Writer, Commit: d.Commit}, got, i)
		}
	}
	c.waited = len(c.sources)
	return nil
}
