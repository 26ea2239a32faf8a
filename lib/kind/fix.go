package kind

import (
	_ "embed" // for the prompt
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

// A Repair is the result of repairing a universal handoff.
type Repair struct {
	Record
	Changes []string // each changed place, with the reason
	Session *Tree    // what was moved to the session file, nil for nothing
	Cut     *Tree    // removed and shortened values by their pointers; has no members if there are none

	given       Given
	sessionFile string
	isGenuine   bool // payload_hash was right at first: only then can a repair replace it
}

// The maximum length of a shortened summary (less than 100 tokens) and of a shortened string in payload.working.
const summaryMost, workingMost = 399, 500

// Fix repairs a universal handoff in at most three attempts: defaults and types, compression, the working context only.
// What it does not understand stays a fault. sessionFile is the path to which the session can be moved.
func (r Record) Fix(g Given, sessionFile string) Repair {
	p := &Repair{Record: r, Cut: json.NewObject(), given: g, sessionFile: sessionFile}
	if r.isForeign() || !r.Root.Get("handoff").Is(json.Object) {
		return *p
	}
	p.Root = r.Root.Clone()
	p.isGenuine = r.Hash != "" && r.Text(hashPath) == r.Hash
	if exists := g.Exists; exists != nil {
		p.given.Exists = func(path string) bool { return path == sessionFile || exists(path) }
	}
	for i, attempt := range []func(){p.defaults, p.compress, p.strip} {
		if i > 0 && len(p.Faults) == 0 || i == 2 && slices.ContainsFunc(p.Faults, p.isWord) {
			break
		}
		attempt()
		p.recompute()
	}
	return *p
}

// isWord reports whether a fault is about a word outside its list. Such an entry is never dropped.
func (p *Repair) isWord(f fault.Fault) bool {
	of, _ := p.table().named(f.Pointer)
	return of.words != nil && p.Root.At(f.Pointer) != nil
}

// recompute updates the hash of a changed payload and the token count, and validates the document.
func (p *Repair) recompute() {
	if hash := payloadHash(p.Root); p.isGenuine && hash != p.Text(hashPath) {
		p.set(hashPath, hash, "the payload was changed")
	}
	if meta := p.Root.At("/handoff/meta"); meta.Is(json.Object) {
		claimed, counted := 0, p.Root.Clone()
		if v := meta.Get("token_count"); v.Is(json.Number) {
			claimed, _ = strconv.Atoi(v.String())
		}
		count(counted)
		if deviates(claimed, tokens(counted.Append(nil))) || claimed > TokenBudget {
			p.set(countPath, counted.At(countPath), "the estimate for the repaired document")
		}
	}
	if len(p.Changes) > 0 {
		p.Record, _ = p.Kind.read(p.Root, p.given)
		p.Record = p.Unplaced()
	}
}

func (p *Repair) set(pointer string, value any, why string) {
	set(p.Root, pointer, value)
	p.Changes = append(p.Changes, fault.Field(pointer)+": "+why)
}

// shorten sets a value, or removes it for nil, and keeps the old one.
func (p *Repair) shorten(pointer string, value any, why string) {
	old := p.Root.At(pointer)
	if old == nil {
		return
	}
	if p.Cut.Get(pointer) == nil {
		p.Cut.Set(pointer, old.Clone())
	}
	if value == nil {
		p.Root.At(above(pointer)).Delete(last(pointer))
		p.Changes = append(p.Changes, fault.Field(pointer)+": "+why)
		return
	}
	p.set(pointer, value, why)
}

// defaults is the first attempt: defaults, types, long texts, unknown members, a long chain.
func (p *Repair) defaults() {
	for _, closed := range []string{"", "/handoff"} {
		known := p.table().below(closed)
		for _, m := range slices.Clone(p.Root.At(closed).Members) {
			if !slices.Contains(known, m.Name) && form.Nearest(m.Name, known) == "" {
				p.shorten(fault.Pointer(closed, m.Name), nil, "unknown field")
			}
		}
	}
	for _, f := range p.table().fields {
		f.each(p.Root, func(at string, v, _ *json.Value) { p.fixField(f, at, v) })
	}
	hops := chain(p.Root)
	switch n := len(hops); {
	case n > longestChain:
		p.shorten(chainPath, slices.Concat(hops[:longestChain/2], hops[n-longestChain/2:]),
			"the middle of the chain was cut")
	case p.Root.At(chainPath).Is(json.Array) && len(p.Root.At(chainPath).Items) == 0:
		p.set(chainPath, hops, "the source is the only hop")
	}
}

// fixField repairs one value: a default, a type, a time, the length, the closest word.
func (p *Repair) fixField(f field, at string, v *json.Value) {
	fill, otherwise := f.x.Get("fill").Str(), f.x.Get("default").Clone()
	if fill == "now" {
		otherwise = json.NewString(p.given.Now)
	}
	text := v.Str()
	id, err := uuid.Parse(text)
	isID := err == nil && id.Version() == 4 && id.Variant() == uuid.RFC4122
	switch {
	case fill == "uuid" && (!isID || id.String() != text):
		if otherwise = json.NewString(id.String()); !isID {
			otherwise = json.NewString(uuid.NewString())
		}
		p.set(at, otherwise, "a valid trace_id")
	case v == nil || v.Kind == json.Null:
		if f.need && otherwise != nil {
			p.set(at, otherwise, "the default")
		}
	case f.x.Get("time") != nil:
		if utc, why := inUTC(text); utc != "" && utc != text {
			p.set(at, utc, why)
		}
	case f.path == versionPath && v.String() == "3":
		p.set(at, otherwise, "converted to a string")
	case f.words != nil && f.path != versionPath && !slices.Contains(f.words, text):
		if near := closest(text, f.words); near != "" {
			p.set(at, near, "the closest allowed value")
		} else if otherwise != nil {
			p.shorten(at, otherwise, "the default for an invalid value")
		}
	default:
		p.convert(f, at, v)
	}
}

// convert changes the type of a value, or shortens a text.
func (p *Repair) convert(f field, at string, v *json.Value) {
	main := f.x.Get("main").Str()
	switch {
	case f.kind == "string" && (v.Kind == json.Number || v.Kind == json.Bool):
		p.set(at, json.NewString(v.Text), "converted to a string")
	case f.most > 0 && cutTo(v.Str(), f.most) != v.Str():
		p.shorten(at, cutTo(v.Text, f.most), fmt.Sprintf("cut to %d characters", f.most))
	case f.kind == "object" && v.Kind == json.String && main != "":
		p.set(at, json.NewObject(json.Member{Name: main, Value: v}), "converted to an object")
	case f.kind == "array" && v.Kind != json.Array && v.Kind != json.Null:
		v = json.NewArray(v)
		f.wrap(v, nil)
		p.set(at, v, "converted to a list")
	case f.kind == "array" && main != "":
		for i, item := range v.Items {
			if item.Kind == json.String {
				p.Changes = append(p.Changes, fmt.Sprintf("%s/%d: converted to an object", at, i))
			}
		}
		f.wrap(v, nil)
	}
}

// closest returns the word that differs from text in at most a third of its letters, "" if there is none.
func closest(text string, words []string) string {
	best, least := "", 1.0/3+1e-9
	for _, word := range words {
		n := float64(form.Edits(strings.ToLower(strings.TrimSpace(text)), word)) / float64(max(len(word), 1))
		if len(text) <= 64 && n <= least && (n < least || best == "") {
			best, least = word, n
		}
	}
	return best
}

// inUTC returns a time in UTC with Z, and how it was converted; "" for a text that is no time.
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

// compress is the second attempt. It stops as soon as the document fits.
func (p *Repair) compress() {
	fits := func() bool { return p.Stage != "tokens" || tokens(p.Root.Append(nil)) <= TokenBudget }
	for _, f := range p.table().fields {
		if f.x.Get("drop") != nil && !fits() {
			p.shorten(f.path, nil, "optional, removed to save tokens")
		}
	}
	if !fits() {
		p.moveSession()
	}
	if short := cutTo(p.Text(summaryPath), summaryMost); short != p.Text(summaryPath) && !fits() {
		p.shorten(summaryPath, short, "cut to less than 100 tokens")
	}
	p.Root.At(workingPath).Walk(workingPath, nil, func(at string, _ *json.Member, v *json.Value) {
		if utf8.RuneCountInString(v.Str()) > workingMost && !fits() {
			p.shorten(at, cutTo(v.Text, workingMost), fmt.Sprintf("cut to %d characters", workingMost))
		}
	})
	if !fits() {
		p.shorten(sessionPath, nil, "removed to save tokens")
	}
}

// moveSession moves payload.session to a file, if a reference to the file is shorter.
func (p *Repair) moveSession() {
	session := p.Root.At(sessionPath)
	reference := json.NewObject(json.Member{Name: "path", Value: json.NewString(p.sessionFile)},
		json.Member{Name: "relevance", Value: json.NewString("important")})
	if session == nil || len(session.Append(nil)) < len(reference.Append(nil)) {
		return
	}
	p.Session = session
	files := append(p.Root.At(referencePath+"/files").All(), reference)
	p.Root.At(payloadPath).Delete("session")
	if !p.Root.At(referencePath).Is(json.Object) {
		set(p.Root, referencePath, json.NewObject())
	}
	set(p.Root, referencePath+"/files", json.NewArray(files...))
	p.Changes = append(p.Changes, fault.Field(sessionPath)+": moved to "+p.sessionFile)
}

// strip is the third attempt: it keeps only the working part of the payload.
func (p *Repair) strip() {
	if p.Root.At(workingPath) == nil {
		return
	}
	for _, m := range slices.Clone(p.Root.At(payloadPath).Members) {
		if m.Name != "working" {
			p.shorten(fault.Pointer(payloadPath, m.Name), nil, "only the working context is kept")
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

//go:embed prompt.txt
var promptText string

// Prompt returns a text that asks a language model to fix a document. frame marks the faults and the document, which
// others wrote.
func Prompt(document []byte, faults []fault.Fault, frame func(text string) string) string {
	lines := fault.Lines(faults, func(f fault.Fault) string { return "- " + f.String() })
	return fmt.Sprintf(promptText, frame(strings.TrimRight(string(document), "\n")), frame(strings.Join(lines, "\n")))
}
