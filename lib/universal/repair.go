package universal

import (
	"cmp"
	"path"

	"github.com/google/uuid"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// RepairOptions are the options of a repair. The zero values of its own fields work. Now is also the default of a
// missing timestamp.
type RepairOptions struct {
	Options
	TraceID    string // for a document that needs one; "" makes a random one
	SessionDir string // directory of the moved session, as in its reference; "": next to the document
}

// A Repair is the result of repairing a document.
type Repair struct {
	Document *Document `json:"-"`        // the valid document, or nil if all attempts failed
	Changed  bool      `json:"changed"`  // Document differs from the original
	Report   Report    `json:"report"`   // of the original document
	Attempts []Attempt `json:"attempts"` // at most three
	Moved    []File    `json:"-"`        // moved and removed content, to be written next to the document first
}

// An Attempt is one of "defaults", "compression" and "working context only". Each continues from the one before.
type Attempt struct {
	Name   string   `json:"name"`
	Patch  []Change `json:"patch"`
	Report Report   `json:"report"` // of the document after the attempt
}

// OK reports whether the repair succeeded.
func (r Repair) OK() bool { return r.Document != nil }

// Patch returns the changes of all attempts. Applied to the original, they give the repaired document.
func (r Repair) Patch() (all []Change) {
	for _, a := range r.Attempts {
		all = append(all, a.Patch...)
	}
	return all
}

// Repair makes the document valid in at most three attempts: defaults and conversions, then compression, then the
// working context only. If, after an attempt, the schema refuses only list entries or optional fields, these are
// removed. A valid document is returned unchanged, unless its token_count or the length of its chain can be
// improved. A document of another version is not changed. Nothing is lost: Moved holds all that was removed, cut
// or replaced. A payload hash that does not match is never replaced. The error means that the options are
// invalid; a document that cannot be repaired is not an error.
func (d *Document) Repair(o RepairOptions) (Repair, error) {
	o = o.withDefaults()
	report, err := d.Validate(o.Options)
	if err != nil {
		return Repair{}, err
	}
	if report.Valid() && !isImprovable(report, d.root) {
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
		result.Attempts = append(result.Attempts, Attempt{Name: a.name, Patch: append([]Change{}, e.patch[done:]...),
			Report: report})
		if report.Valid() {
			result.Document, result.Moved, result.Changed = repaired, e.files(o.SessionDir), len(e.patch) > 0
			break
		}
		if report.Mismatch && report.Stage == StageSemantics {
			break // no attempt can fix this fault
		}
	}
	return result, nil
}

// settle updates hash, size and token count after changes, the count last since it covers the others. It
// validates the result.
func (d *Document) settle(e *editor, o RepairOptions) (*Document, Report, error) {
	e.refresh()
	recount(e)
	repaired := d.edited(e)
	report, err := repaired.Validate(e.withSession(o))
	return repaired, report, err
}

// withSession returns options under which the file of a moved session exists. It is not written yet.
func (e *editor) withSession(o RepairOptions) Options {
	if e.session == nil || o.Exists == nil {
		return o.Options
	}
	exists, moved := o.Exists, e.sessionFile(o.SessionDir)
	o.Exists = func(path string) bool { return path == moved || exists(path) }
	return o.Options
}

// The attempts, from lossless to minimal.
var attempts = []struct {
	name string
	run  func(*editor, RepairOptions)
}{
	{"defaults", func(e *editor, o RepairOptions) { applyDefaults(e, o.now(), o.TraceID) }},
	{"compression", func(e *editor, o RepairOptions) { compressor{e, o.Encoding, o.SessionDir}.compress() }},
	{"working context only", func(e *editor, _ RepairOptions) { strip(e) }},
}

// withDefaults sets the defaults of missing options.
func (o RepairOptions) withDefaults() RepairOptions {
	o.Encoding, o.TraceID = cmp.Or(o.Encoding, O200k), cmp.Or(o.TraceID, NewID())
	return o
}

// NewID returns a random trace_id, a UUID of version 4 (RFC 9562).
func NewID() string { return uuid.NewString() }

// isImprovable reports whether a valid document has a warning that a repair removes.
func isImprovable(r Report, root *jsontree.Value) bool {
	for _, w := range r.Warnings {
		if w.Pointer == countPath {
			return true
		}
	}
	return len(chain(root)) > longestChain
}

// files returns the content that the editor removed.
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

// sessionFile returns the file name of a moved session.
func (e *editor) sessionFile(dir string) string {
	return path.Join(dir, "session-context-"+idForName(e.root, printed(e.session))+".json")
}

// idForName returns the trace_id, which a repair has made valid, and a part of the hash of content: all documents
// of a chain share the trace_id.
func idForName(root *jsontree.Value, content []byte) string {
	id := textAt(root, "/handoff/trace_id")
	if !isTraceID(id) {
		id = "untraced"
	}
	return id + "-" + jsontree.SHA256Hex(content)[:8]
}
