package universal

import (
	"crypto/rand"
	"fmt"
	"path"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// RepairOptions says how a document is repaired. The zero value of what it adds to Options is the real
// world. Now is the default of a missing timestamp, too.
type RepairOptions struct {
	Options
	NewID      func() string // makes a trace_id: a random UUID version 4
	SessionDir string        // directory that the moved session will be written to, as the reference shall name it; "": beside the document
}

// A Repair is what came of an attempt to make a document valid.
type Repair struct {
	Document *Document `json:"-"`        // the valid document, nil when all attempts failed
	Changed  bool      `json:"changed"`  // the document is a new one; false: it is returned as it is, or nil
	Report   Report    `json:"report"`   // of the document as it was
	Attempts []Attempt `json:"attempts"` // at most three
	Moved    []File    `json:"-"`        // what was moved or cut, to be written beside the document before anything relies on it
}

// An Attempt is one of the three: "defaults", "compression", "working context only". Each goes on from
// the one before.
type Attempt struct {
	Name   string   `json:"name"`
	Patch  []Change `json:"patch"`
	Report Report   `json:"report"` // of the document after the attempt
}

// OK reports whether the repair succeeded.
func (r Repair) OK() bool { return r.Document != nil }

// Patch returns the changes of all attempts. Applied to the original they give the repaired document.
func (r Repair) Patch() (all []Change) {
	for _, a := range r.Attempts {
		all = append(all, a.Patch...)
	}
	return all
}

// Repair makes the document valid in at most three attempts: defaults and conversions, then
// compression, then the working context only. Where an entry of a list or an optional field alone is what
// the schema refuses after an attempt, it goes alone. A valid document is returned as it is, unless its
// token_count or the length of its chain can be bettered. No attempt is made on a document of another
// version. Nothing is lost: what is removed, cut or replaced is in Moved. A payload hash that does not
// fit is never replaced. The error says that the options cannot be used; a document that cannot be
// repaired is no error.
func (d *Document) Repair(o RepairOptions) (Repair, error) {
	o = o.withDefaults()
	report, err := d.Validate(o.Options)
	if err != nil {
		return Repair{}, err
	}
	if report.Valid() && !betterable(report, d.root) {
		return Repair{Document: d, Report: report, Attempts: []Attempt{}, Moved: []File{}}, nil
	}
	result := Repair{Report: report, Attempts: []Attempt{}}
	if d.foreign() {
		return result, nil
	}
	e := newEditor(d.root)
	for _, a := range attempts {
		done := len(e.patch)
		a.run(e, o)
		repaired, report, err := d.settle(e, o)
		if err == nil && e.cutUnusable(report) {
			repaired, report, err = d.settle(e, o)
		}
		if err != nil {
			return Repair{}, err
		}
		result.Attempts = append(result.Attempts, Attempt{Name: a.name, Patch: append([]Change{}, e.patch[done:]...), Report: report})
		if report.Valid() {
			result.Document, result.Moved, result.Changed = repaired, e.files(o.SessionDir), true
			break
		}
		if report.Mismatch && report.Stage == StageSemantics {
			break // no attempt may change what this fault says
		}
	}
	return result, nil
}

// settle makes what is counted fit what was changed, the count last, since hash and size are part of it, and
// validates the outcome.
func (d *Document) settle(e *editor, o RepairOptions) (*Document, Report, error) {
	e.refresh()
	recount(e)
	repaired := d.edited(e)
	report, err := repaired.Validate(e.withSession(o))
	return repaired, report, err
}

// withSession returns the options under which the file of a moved session, which is yet to be written, exists.
func (e *editor) withSession(o RepairOptions) Options {
	if e.session == nil || o.Exists == nil {
		return o.Options
	}
	exists, moved := o.Exists, e.sessionFile(o.SessionDir)
	o.Exists = func(path string) bool { return path == moved || exists(path) }
	return o.Options
}

// The attempts, from the one that loses nothing to the one that keeps least.
var attempts = []struct {
	name string
	run  func(*editor, RepairOptions)
}{
	{"defaults", func(e *editor, o RepairOptions) { mend(e, o.now(), o.NewID) }},
	{"compression", func(e *editor, o RepairOptions) { compressor{e, o.Encoding, o.SessionDir}.compress() }},
	{"working context only", func(e *editor, _ RepairOptions) { strip(e) }},
}

// withDefaults puts the real world where the options say nothing.
func (o RepairOptions) withDefaults() RepairOptions {
	if o.Encoding == "" {
		o.Encoding = O200k
	}
	if o.NewID == nil {
		o.NewID = NewID
	}
	return o
}

// betterable reports whether a valid document has a warning that a repair removes.
func betterable(r Report, root *jsontree.Value) bool {
	for _, w := range r.Warnings {
		if w.Pointer == countPath {
			return true
		}
	}
	return len(chain(root)) > longestChain
}

// NewID returns a random UUID version 4 (RFC 9562).
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// files returns what the editor took out of the document.
func (e *editor) files(dir string) []File {
	files := []File{}
	if e.session != nil {
		files = append(files, File{Name: path.Base(e.sessionFile(dir)), Bytes: printed(e.session)})
	}
	if len(e.kept) > 0 {
		kept := printed(jsontree.NewObject(e.kept...))
		files = append(files, File{Name: "cut-content-" + idForName(e.root, kept) + ".json", Bytes: kept})
	}
	return files
}

// sessionFile names the file of a moved session.
func (e *editor) sessionFile(dir string) string {
	return path.Join(dir, "session-context-"+idForName(e.root, printed(e.session))+".json")
}

// idForName returns the trace_id, if it is one (a repair has seen to that before it names a file), and
// a part of the hash of what the file holds: all documents of a chain have the same trace_id.
func idForName(root *jsontree.Value, content []byte) string {
	id := textAt(root, "/handoff/trace_id")
	if !isTraceID(id) {
		id = "untraced"
	}
	return id + "-" + jsontree.SHA256Hex(content)[:8]
}
