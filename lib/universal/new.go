package universal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/tokens"
)

// A New is what somebody says about a document that does not exist yet. What is empty is left out, or
// gets its default.
type New struct {
	Source, Target                string // skills; of a hop the source is the target of the document before it
	Workflow, Phase, SessionPath  string
	Summary, ProblemType          string // of what type: implementation
	Confidence                    string // medium
	Invocation, Reason, ExpiresAt string
	Gaps                          []string
	Working                       []byte   // a JSON object; none: {}
	Artifacts, Files              []string // paths
	Approved                      bool     // the user has approved a long chain
	At                            time.Time
}

// Make returns a document with a trace_id of its own, a chain of one hop, its hash and its count of
// tokens. The error is about Working; whether the document is valid is for Validate to say.
func Make(n New) (*Document, error) {
	text := func(s string) *jsontree.Value { return jsontree.NewString(s) }
	root := jsontree.NewObject(
		member("handoff", jsontree.NewObject(
			member("version", text(Version)), member("schema_type", text(SchemaType)),
			member("timestamp", text("")), member("trace_id", text(NewID())),
			member("source", jsontree.NewObject(member("skill", text(n.Source)), member("workflow_id", text("")), member("session_path", text("")), member("phase", text("")))),
			member("target", jsontree.NewObject(member("skill", text(n.Target)))),
			member("context", jsontree.NewObject(member("summary", text("")), member("problem_type", text("implementation")))),
			member("payload", jsontree.NewObject(member("working", jsontree.NewObject()))),
			member("meta", jsontree.NewObject(member("token_count", jsontree.NewInt(0)), member("confidence", text("medium")), member("handoff_chain", jsontree.NewArray(text(n.Source))))),
		)))
	var src bytes.Buffer
	if err := json.Indent(&src, root.Append(nil), "", "  "); err != nil {
		return nil, err
	}
	d, err := Parse(src.Bytes())
	if err != nil {
		return nil, err
	}
	return d.with(n)
}

// Hop returns the next document of the chain: the target hands over to n.Target. What is said replaces
// what the document says; artifacts and files come to those that it has. Reason and approval are about
// one hop, and go.
func (d *Document) Hop(n New) (*Document, error) {
	e := newEditor(d.root)
	hops := jsontree.NewArray()
	for _, hop := range chain(d.root) {
		hops.Items = append(hops.Items, jsontree.NewString(hop))
	}
	source := d.Target()
	if last := hops.Items[len(hops.Items)-1]; last.Text != source {
		hops.Items = append(hops.Items, jsontree.NewString(source))
	}
	n.Phase = cmp.Or(n.Phase, d.text("/handoff/target/expected_phase"))
	e.set("/handoff/source/skill", jsontree.NewString(source), "")
	e.set("/handoff/target", jsontree.NewObject(member("skill", jsontree.NewString(n.Target))), "")
	e.set(chainPath, hops, "")
	e.remove("/handoff/meta/handoff_reason", "")
	e.remove("/handoff/meta/user_approved", "")
	if end, ok := instant(e.root.At("/handoff/expires_at")); ok && !n.At.Before(end) {
		e.remove("/handoff/expires_at", "")
	}
	return d.edited(e).with(n)
}

// with returns the document with what is said, as of the time of n.
func (d *Document) with(n New) (*Document, error) {
	e := newEditor(d.root)
	for _, said := range []struct{ pointer, text string }{
		{"/handoff/timestamp", n.At.UTC().Format(time.RFC3339)}, {"/handoff/expires_at", n.ExpiresAt},
		{"/handoff/source/workflow_id", n.Workflow}, {"/handoff/source/session_path", n.SessionPath}, {"/handoff/source/phase", n.Phase},
		{"/handoff/target/invocation", n.Invocation}, {"/handoff/context/summary", n.Summary}, {"/handoff/context/problem_type", n.ProblemType},
		{confidencePath, n.Confidence}, {"/handoff/meta/handoff_reason", n.Reason},
	} {
		if said.text != "" {
			e.set(said.pointer, jsontree.NewString(said.text), "")
		}
	}
	if n.Approved {
		e.set("/handoff/meta/user_approved", jsontree.NewBool(true), "")
	}
	if len(n.Gaps) > 0 {
		e.set("/handoff/context/known_gaps", stringList(n.Gaps), "")
	}
	if len(n.Working) > 0 {
		working, err := jsontree.ParseObject(n.Working, jsontree.MaxBytes, "payload.working")
		if err != nil {
			return nil, err
		}
		e.set("/handoff/payload/working", unplaced(working), "")
	}
	if err := n.refer(e); err != nil {
		return nil, err
	}
	e.set(hashPath, jsontree.NewString(payloadHash(e.root)), "")
	if e.root.At(sizePath) != nil {
		e.set(sizePath, jsontree.NewInt(len(e.root.At("/handoff/payload").Append(nil))), "")
	}
	recount(e)
	return d.edited(e), nil
}

// refer adds the artifacts and the files.
func (n New) refer(e *editor) error {
	for _, name := range n.Artifacts {
		path, sum, err := look(name)
		if err != nil {
			return err
		}
		item := artifact(jsontree.NewString(path))
		if sum != "" {
			item.Set("checksum", jsontree.NewString(sum))
		}
		e.add(sessionPath, "artifacts", item, "")
	}
	for _, name := range n.Files {
		path, _, err := look(name)
		if err != nil {
			return err
		}
		e.add("/handoff/payload/references", "files", jsontree.NewObject(member("path", jsontree.NewString(path))), "")
	}
	return nil
}

// look returns the absolute path of a file, which means the same to whoever gets it, and its checksum
// if it is a file.
func look(name string) (path, sum string, err error) {
	if path, err = filepath.Abs(name); err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return filepath.ToSlash(path), "", nil // the validation says what is missing
	}
	f, err := os.Open(path)
	if err != nil {
		return filepath.ToSlash(path), "", nil
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", "", fmt.Errorf("read %s: %w", name, err)
	}
	return filepath.ToSlash(path), fmt.Sprintf("sha256:%x", h.Sum(nil)), nil
}

// Oversize returns an error that wraps fault.ErrInvalid for a document that takes more tokens than the budget.
func (d *Document) Oversize() error {
	text := d.JSON()
	if len(text) <= TokenBudget {
		return nil // no token is shorter than a byte: the vocabulary need not be loaded
	}
	n, _, err := count(tokens.O200k, text)
	if err != nil || n <= TokenBudget {
		return err
	}
	return &fault.Error{Class: fault.ErrInvalid, Problem: fmt.Sprintf("the document takes %d tokens, more than %d", n, TokenBudget),
		Advice: "name files with --file in the place of their content"}
}

// member is a member of an object that is being made.
func member(name string, value *jsontree.Value) jsontree.Member {
	return jsontree.Member{Name: name, Value: value}
}

// stringList is a list of strings, empty rather than null.
func stringList(items []string) *jsontree.Value {
	list := jsontree.NewArray()
	for _, item := range items {
		list.Items = append(list.Items, jsontree.NewString(item))
	}
	return list
}

// unplaced takes from a value its places in a text that is not the document's.
func unplaced(v *jsontree.Value) *jsontree.Value {
	v.Walk("", nil, func(_ string, in *jsontree.Member, v *jsontree.Value) {
		if v.Line, v.Column, v.Start, v.End = 0, 0, 0, 0; in != nil {
			in.Start, in.End = 0, 0
		}
	})
	return v
}
