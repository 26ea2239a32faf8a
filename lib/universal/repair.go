package universal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

const (
	summaryMost   = 399 // characters of a shortened summary: less than 100 tokens
	workingMost   = 500 // characters of a shortened string in payload.working
	summaryPath   = "/handoff/context/summary"
	payloadPath   = "/handoff/payload"
	workingPath   = "/handoff/payload/working"
	sessionPath   = "/handoff/payload/session"
	referencePath = "/handoff/payload/references"
)

// RepairOptions are the options of a repair. Now is also the default of a missing timestamp.
type RepairOptions struct {
	Options
	SessionFile string // the path of the file to which payload.session is moved, as its reference names it
}

// A Repair is the result of repairing a document.
type Repair struct {
	Document *Document // the original if nothing was changed
	Report   Report    // of Document
	Changes  []string  // each changed place with the reason
	Session  []byte    // the content of SessionFile, nil if the session was not moved
	Cut      []byte    // the removed and shortened values by their pointers, nil if there are none
}

// A repairer repairs a copy of a document.
type repairer struct {
	Repair
	RepairOptions
	root    *jsontree.Value
	cut     *jsontree.Value
	before  string // the hash of the payload at first
	genuine bool   // payload_hash was right at first: only then can a repair replace it
}

// Repair makes the document valid in at most three attempts: defaults and types, then compression, then the working
// context only. It guesses no value: what it does not understand stays a fault. A document of another version is not
// changed.
func (d *Document) Repair(o RepairOptions) Repair {
	p := &repairer{Repair: Repair{Document: d, Report: d.Validate(o.Options)}, RepairOptions: o, root: d.root.Clone(),
		cut: jsontree.NewObject(), before: d.PayloadHash()}
	p.genuine = p.before != "" && d.text(hashPath) == p.before
	if d.foreign() || !p.root.At("/handoff").Is(jsontree.Object) {
		return p.Repair
	}
	if exists := o.Exists; exists != nil {
		p.Exists = func(path string) bool { return path == o.SessionFile || exists(path) }
	}
	for i, attempt := range []func(){p.defaults, p.compress, p.strip} {
		if i > 0 && p.Report.Valid() {
			break
		}
		attempt()
		p.recompute()
	}
	if len(p.cut.Members) > 0 {
		p.Cut = indented(p.cut)
	}
	return p.Repair
}

// recompute updates the hash of a changed payload and the token count, and validates the document.
func (p *repairer) recompute() {
	if hash := payloadHash(p.root); p.genuine && hash != textAt(p.root, hashPath) {
		p.set(hashPath, hash, "the payload was changed")
	}
	meta := p.root.At("/handoff/meta")
	count := meta.Get("token_count")
	n, claimed := estimate(p.root), 0
	if count.Is(jsontree.Number) {
		claimed, _ = strconv.Atoi(count.String()) // 0 is counted again
	}
	if meta.Is(jsontree.Object) && deviates(claimed, n) {
		p.set(countPath, n, "the estimate for the repaired document")
	}
	if len(p.Changes) > 0 {
		p.Document = &Document{root: p.root, src: indented(p.root)}
		p.Report = p.Document.Validate(p.Options)
	}
}

// set changes a value.
func (p *repairer) set(pointer string, value any, why string) {
	set(p.root, pointer, value)
	p.Changes = append(p.Changes, pointer+": "+why)
}

// shorten sets a value whose old one is kept.
func (p *repairer) shorten(pointer string, value any, why string) {
	if p.cut.Get(pointer) == nil {
		p.cut.Set(pointer, p.root.At(pointer).Clone())
	}
	p.set(pointer, value, why)
}

// remove removes a member, if it exists, and keeps its value.
func (p *repairer) remove(pointer, why string) {
	if v := p.root.At(pointer); v != nil {
		p.cut.Set(pointer, v)
		p.root.At(above(pointer)).Delete(last(pointer))
		p.Changes = append(p.Changes, pointer+": "+why)
	}
}

// defaults is the first attempt: defaults, types, long texts, unknown members.
func (p *repairer) defaults() {
	for _, closed := range []string{"", "/handoff"} {
		known := names(closed)
		for _, m := range slices.Clone(p.root.At(closed).Members) {
			if !slices.Contains(known, m.Name) && form.Nearest(m.Name, known) == "" {
				p.remove(fault.Pointer(closed, m.Name), "unknown field")
			}
		}
	}
	for _, f := range Table().Fields {
		f.Each(p.root, func(at string, v, holder *jsontree.Value) { p.fix(f, at, v, holder) })
	}
	if id := textAt(p.root, tracePath); !isTraceID(id) {
		if id = strings.ToLower(id); !isTraceID(id) {
			id = NewID()
		}
		p.set(tracePath, id, "a valid trace_id")
	}
	hops := p.root.At(chainPath).All()
	if n := len(hops); n == 0 && p.root.At(chainPath).Is(jsontree.Array) {
		p.set(chainPath, chain(p.root), "the source is the only hop")
	} else if n > longestChain {
		target := textAt(p.root, "/handoff/target/skill")
		head, tail := hops[:longestChain/2], hops[n-longestChain/2:]
		isTarget := func(hop *jsontree.Value) bool { return hop.Text == target }
		if !slices.ContainsFunc(hops[len(head):n-len(tail)], isTarget) { // a circle must stay visible
			p.shorten(chainPath, jsontree.NewArray(slices.Concat(head, tail)...), "the middle of the chain was cut")
		}
	}
}

// fix repairs the value of one field: a default for a missing one, the type, the length, the closest allowed word.
func (p *repairer) fix(f fields.Field, at string, v, holder *jsontree.Value) {
	byDefault, _ := jsontree.Parse(f.Default)
	if byDefault.Str() == "now" {
		byDefault = jsontree.NewString(p.now().UTC().Format(time.RFC3339))
	}
	switch {
	case v == nil || v.Kind == jsontree.Null:
		if f.Need && byDefault != nil && holder.Is(jsontree.Object) {
			p.set(at, byDefault, "the default")
		}
	case f.Type == "time":
		if utc, why := inUTC(v.Str()); utc != "" && utc != v.Text {
			p.set(at, utc, why)
		}
	case f.Type == "word" && !slices.Contains(f.Words, v.Str()):
		if near := form.Nearest(v.Str(), f.Words); near != "" {
			p.set(at, near, "the closest allowed value")
		} else if byDefault != nil {
			p.shorten(at, byDefault, "the default for an invalid value")
		}
	case f.Path == versionPath && v.String() == "3": // the number 3.0
		p.set(at, Version, "converted to a string")
	case f.Type == "text" && (v.Kind == jsontree.Number || v.Kind == jsontree.Bool):
		p.set(at, v.Text, "converted to a string")
	case f.Type == "text" && f.Most > 0 && cutTo(v.Str(), int(f.Most)) != v.Str():
		p.shorten(at, cutTo(v.Text, int(f.Most)), fmt.Sprintf("cut to %d characters", f.Most))
	case f.Type == "texts" && v.Kind == jsontree.String, f.Type == "list" && v.Kind != jsontree.Array:
		p.set(at, jsontree.NewArray(v), "converted to a list")
	case f.Type == "object" && v.Kind == jsontree.String && f.Main != "":
		p.set(at, jsontree.NewObject(member(f.Main, v)), "converted to an object")
	}
}

// inUTC returns a time in UTC with Z, and the change. It returns "" if the text is not a time. A time without a zone
// is read as UTC.
func inUTC(text string) (utc, why string) {
	if form.IsInstant(text) {
		return text, ""
	}
	for _, try := range [][2]string{{"", "converted to UTC"}, {"Z", "it has no zone: UTC is assumed"},
		{"T00:00:00Z", "it is a day: 00:00 UTC is assumed"}} {
		if t, ok := form.ISO(text + try[0]); ok {
			return t.UTC().Format(time.RFC3339Nano), try[1]
		}
	}
	return "", ""
}

// compress is the second attempt, for a document that keeps to the schema. It stops as soon as the document fits.
func (p *repairer) compress() {
	fits := func() bool { return p.Report.Stage != StageTokens || Tokens(p.root.Append(nil)) <= TokenBudget }
	for _, f := range Table().Fields {
		if f.Drop && !fits() {
			p.remove(f.Path, "optional, removed to save tokens")
		}
	}
	if !fits() {
		p.moveSession()
	}
	summary := textAt(p.root, summaryPath)
	if short := cutTo(summary, summaryMost); short != summary && !fits() {
		p.shorten(summaryPath, short, "cut to less than 100 tokens")
	}
	size, large := utf8.RuneCount(p.root.Append(nil)), !fits()
	p.root.At(workingPath).Walk(workingPath, nil, func(at string, _ *jsontree.Member, v *jsontree.Value) {
		if n := utf8.RuneCountInString(v.Str()); n > workingMost && large && size/4 > TokenBudget {
			size -= n - workingMost
			p.cut.Set(at, jsontree.NewString(v.Text))
			v.Text = cutTo(v.Text, workingMost)
			p.Changes = append(p.Changes, fmt.Sprintf("%s: cut to %d characters", at, workingMost))
		}
	})
	if !fits() {
		p.remove(sessionPath, "removed to save tokens")
	}
}

// moveSession moves payload.session to a file, if a reference to the file is shorter.
func (p *repairer) moveSession() {
	session, files := p.root.At(sessionPath), p.root.At(referencePath+"/files").All()
	reference := jsontree.NewObject(member("path", p.SessionFile), member("relevance", "important"))
	if session == nil || len(session.Append(nil)) < len(reference.Append(nil)) {
		return
	}
	p.Session = indented(session)
	p.root.At(payloadPath).Delete("session")
	if references := p.root.At(referencePath); !references.Is(jsontree.Object) {
		p.root.At(payloadPath).Set("references", jsontree.NewObject())
	}
	p.root.At(referencePath).Set("files", jsontree.NewArray(append(files, reference)...))
	p.Changes = append(p.Changes, sessionPath+": moved to "+p.SessionFile)
}

// strip is the third attempt: it keeps only the working part of the payload.
func (p *repairer) strip() {
	payload := p.root.At(payloadPath)
	if payload.Get("working") == nil {
		return
	}
	for _, m := range slices.Clone(payload.Members) {
		if m.Name != "working" {
			p.remove(fault.Pointer(payloadPath, m.Name), "only the working context is kept")
		}
	}
}

// cutTo returns at most most characters of a text. If it cut the text, the last three are dots.
func cutTo(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}

// isTraceID reports whether s is a UUID of version 4 (RFC 9562 section 5.4) in lower case.
func isTraceID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s && id.Version() == 4 && id.Variant() == uuid.RFC4122
}

// NewID returns a random trace_id, a UUID of version 4 (RFC 9562).
func NewID() string { return uuid.NewString() }
