package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	strict "github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/signature"
)

// typeDocument is the type of the lines of documents. The audit log has none of them.
const typeDocument = "handoff.document"

// Caps of what is received.
const (
	maxLine      = 1<<20 + 64<<10
	maxAudit     = 128
	maxLines     = 20_000    // of a batch
	maxSealed    = 10_000    // events that a seal of ours lists
	maxMalformed = 100       // lines of a batch, before it is given up
	maxChange    = 16 << 20  // bytes of lines
	maxStored    = 4 << 20   // bytes of batches, before they are stored
	maxLog       = 64 << 20  // bytes of batches, of a log in one sync
	maxSync      = 256 << 20 // and of all logs
	maxScanned   = 1 << 20   // bytes of the audit log that are looked through in vain, before that is recorded
)

var (
	factTypes = []string{log.MarkRead, log.MarkUnread, log.Archive, log.Unarchive, log.Sign}
	ownTypes  = []string{log.Write, log.Import, log.Surface, log.Prune, log.Repair, "handoff.validate"} // never travel
)

func isFact(kind string) bool { return slices.Contains(factTypes, kind) }

// turnLog returns the log of the turns of a handoff.
func turnLog(id string) string { return "t-" + id[len(form.IDPrefix):len(form.IDPrefix)+2] }

// A document is the payload of a line of a document.
type document struct {
	ID        string `json:"handoff_id"`
	Text      string `json:"text"`
	Signature string `json:"signature,omitempty"`
	Source    string `json:"source,omitempty"`
}

func (d document) line() ([]byte, error) {
	return strict.CanonicalOf(map[string]any{"event_type": typeDocument, "payload": d})
}

// A received line is one of a log.
type received struct {
	log.Pending
	id       string // of the event
	document *document
}

// latestFirst puts facts first, and the latest of them before all: of many marks beyond the caps only it comes in.
func latestFirst(a, b received) int {
	timeOf := func(r received) string {
		if isFact(r.Type) {
			return r.Payload.Time
		}
		return ""
	}
	return cmp.Compare(timeOf(b), timeOf(a))
}

// parseLine parses a line of a log. ok is false if it is malformed, or does not belong there.
func parseLine(name string, text []byte) (r received, ok bool) {
	if len(text) > maxLine {
		return r, false
	}
	var head struct {
		Type    string          `json:"event_type"`
		Payload json.RawMessage `json:"payload"`
	}
	if strict.Decode(text, &head) == nil && head.Type == typeDocument && form.IsWriter(name) {
		r.document = &document{}
		if strict.Decode(head.Payload, r.document) != nil {
			return r, false
		}
		canonical, err := r.document.line()
		r.Type, r.id = typeDocument, r.document.ID
		return r, err == nil && bytes.Equal(canonical, text)
	}
	r.Pending, ok = log.ParseLine(text)
	r.id = log.IDOf(text)
	id := r.Payload.ID
	switch isKnown := form.IsID(id); {
	case !ok || slices.Contains(ownTypes, r.Type):
		return r, false
	case log.IsTurn(r.Type):
		return r, isKnown && name == turnLog(id)
	case r.Type == log.Seal:
		return r, true
	case isFact(r.Type):
		return r, isKnown && form.IsWriter(name)
	}
	return r, form.IsWriter(name) && (strings.HasPrefix(r.Type, "handoff.") || strings.HasPrefix(r.Type, "batch."))
}

// parseBatch parses a batch of a log. Malformed lines are counted; after too many the rest of the batch is passed over.
func parseBatch(name string, text []byte) (all []received, audit string, malformed int) {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	var first struct {
		Version int    `json:"handoff-batch"`
		Audit   string `json:"audit"`
	}
	if json.Unmarshal(head, &first) != nil || first.Version != 1 || len(first.Audit) > maxAudit {
		return nil, "", 1
	}
	for line := range bytes.Lines(rest) {
		if malformed >= maxMalformed || len(all) >= maxLines {
			break
		}
		line, isWhole := bytes.CutSuffix(line, []byte("\n"))
		r, ok := parseLine(name, line)
		if !isWhole || !ok {
			malformed++
			continue
		}
		all = append(all, r)
	}
	n := len(all)
	all = withoutBadSeals(all)
	return all, first.Audit, malformed + n - len(all)
}

// withoutBadSeals leaves out seals that do not hold, and those that list no line of their batch.
func withoutBadSeals(all []received) []received {
	if !slices.ContainsFunc(all, func(r received) bool { return r.Type == log.Seal }) {
		return all
	}
	has := map[string]bool{}
	for _, r := range all {
		has[r.id] = true
	}
	return slices.DeleteFunc(all, func(r received) bool {
		p := r.Payload
		if r.Type != log.Seal || !slices.ContainsFunc(p.Events, func(id string) bool { return has[id] }) {
			return r.Type == log.Seal
		}
		_, err := signature.Verify(facts.SealText(p.Events), []byte(p.Signature), facts.SealNamespace)
		return err != nil
	})
}

// newBatch returns a batch of lines.
func newBatch(count int, hash string, lines [][]byte) []byte {
	text := fmt.Appendf(nil, `{"handoff-batch":1,"audit":"%d:%s"}`+"\n", count, hash)
	for _, line := range lines {
		text = append(append(text, line...), '\n')
	}
	return text
}
