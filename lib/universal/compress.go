package universal

import (
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

const (
	summaryTokens = 100 // a compressed summary has fewer
	workingMax    = 500 // longer strings in payload.working can be cut to this many characters
	sessionPath   = "/handoff/payload/session"
)

// A compressor shortens a record until it fits the budget.
type compressor struct {
	*editor
	encoding string
	dir      string // directory of the session file, as in the reference
}

// compress is the second attempt. It stops as soon as the document fits. If the document would grow, it undoes
// all changes.
func (c compressor) compress() {
	start, before := c.snapshot(), c.root.Append(nil)
	for _, step := range []func(){c.dropOptional, c.moveSession, c.shorten, c.dropSession} {
		if c.fits() {
			break
		}
		step()
	}
	c.refresh()
	if after := c.root.Append(nil); len(after) > len(before) || c.measure(after) > c.measure(before) {
		*c.editor = start
	}
}

// fits reports whether the record in its present form is within the budget.
func (c compressor) fits() bool { return c.measure(c.root.Append(nil)) <= TokenBudget }

// measure returns the number of tokens. A text that cannot be counted does not fit.
func (c compressor) measure(src []byte) int {
	n, _, err := count(c.encoding, src)
	if err != nil {
		return 10*TokenBudget + len(src)
	}
	return n
}

// dropOptional removes optional fields, as few as possible.
func (c compressor) dropOptional() {
	for _, f := range Table().Fields {
		if f.Drop && !c.fits() {
			c.cut(f.Path, "optional, removed to save tokens")
		}
	}
}

// moveSession moves payload.session to a separate file and adds a reference to it, if the reference is shorter.
func (c compressor) moveSession() {
	session := c.root.At(sessionPath)
	if session == nil || !c.canRefer() {
		return
	}
	start, before := c.snapshot(), len(c.root.Append(nil))
	c.session = session
	reference := jsontree.NewObject(member("path", c.sessionFile(c.dir)),
		member("relevance", "important"))
	c.remove(sessionPath, "moved to a file")
	c.add("/handoff/payload/references", "files", reference, "refers to the session file")
	if len(c.root.Append(nil)) >= before {
		*c.editor = start
	}
}

// canRefer reports whether payload.references can hold another file.
func (c compressor) canRefer() bool {
	references := c.root.At("/handoff/payload/references")
	if references != nil && references.Kind != jsontree.Object {
		return false
	}
	files := references.Get("files")
	return files == nil || files.Kind == jsontree.Array
}

// shorten cuts the summary, then as many long strings of payload.working as necessary, in their order.
func (c compressor) shorten() {
	c.shortenSummary()
	if c.fits() {
		return
	}
	long := c.longStrings("/handoff/payload/working")
	enough := sort.Search(len(long), func(n int) bool {
		// The search goes back and forth, so each try sets every string again.
		for i, s := range long {
			s.value.Text = s.full
			if i < n {
				s.value.Text = s.short
			}
		}
		return c.fits()
	})
	for i, s := range long {
		s.value.Text = s.full
		if i < enough {
			c.swap(s.pointer, s.short, fmt.Sprintf("cut to %d characters", workingMax))
		}
	}
}

// shortenSummary cuts the summary to less than summaryTokens, as little as possible.
func (c compressor) shortenSummary() {
	const pointer, longest = "/handoff/context/summary", 4 * 500 // bytes of a valid summary
	v := c.root.At(pointer)
	if !v.Is(jsontree.String) {
		return
	}
	fitting := func(text string) bool {
		n, err := CountTokens(c.encoding, text)
		return err == nil && n < summaryTokens
	}
	if len(v.Text) > longest || fitting(v.Text) {
		return // longer than the schema allows: the first attempt failed
	}
	size := utf8.RuneCountInString(v.Text) - 1
	for size > 3 && !fitting(cutTo(v.Text, size)) {
		size--
	}
	if short := cutTo(v.Text, size); size > 3 && len(short) < len(v.Text) {
		c.swap(pointer, short, fmt.Sprintf("cut to less than %d tokens", summaryTokens))
	}
}

// A longString is a string that can be cut.
type longString struct {
	pointer     string
	value       *jsontree.Value
	full, short string
}

// longStrings returns the long strings below a pointer, in the order of the document.
func (c compressor) longStrings(pointer string) (found []longString) {
	c.root.At(pointer).Walk(pointer, nil, func(at string, _ *jsontree.Member, v *jsontree.Value) {
		if short := cutTo(v.Str(), workingMax); len(short) < len(v.Str()) {
			found = append(found, longString{at, v, v.Text, short})
		}
	})
	return found
}

// dropSession removes a payload.session that could not be moved. Its content goes to the same file.
func (c compressor) dropSession() {
	if session := c.root.At(sessionPath); session != nil {
		c.session = session
		c.remove(sessionPath, "removed to save tokens, kept in a file")
	}
}

// strip is the third attempt: it keeps only the working part of the payload.
func strip(e *editor) {
	payload := e.root.At("/handoff/payload")
	if payload == nil || payload.Get("working") == nil {
		return
	}
	const why = "only the working context is kept"
	if session := payload.Get("session"); session != nil {
		e.session = session
		e.remove(sessionPath, why)
	}
	e.cutMembers("/handoff/payload", why, func(name string) bool { return name == "working" })
	e.refresh()
}
