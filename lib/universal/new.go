package universal

import (
	"crypto/sha256"
	_ "embed" // for the form of a new document
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A New describes a new document. Empty values are left out, or get a default.
type New struct {
	Source, Target string              // skills; for a hop, Source is ignored
	Said           map[string][]string // values by flag names, see Table; for a file, its content
	Approved       bool                // the user approved a long chain
	At             time.Time
}

//go:embed new.json
var newDocument string

// Make returns a document with a new trace_id, a chain of one hop, its hash and its token count. The error is
// about files that it refers to. Call Validate to find out whether the document is valid.
func Make(n New) (*Document, error) {
	quoted := func(text string) string { return string(jsontree.AppendQuoted(nil, text)) }
	src := strings.NewReplacer(`"SOURCE"`, quoted(n.Source), `"TARGET"`, quoted(n.Target),
		`"TRACE"`, quoted(NewID())).Replace(newDocument)
	d, err := Parse([]byte(src))
	if err != nil {
		return nil, err
	}
	return d.with(n)
}

// Hop returns the next document of the chain: the target hands over to n.Target. Values of n replace those of d;
// artifacts and files are added. Reason and approval apply to one hop only and are not copied.
func (d *Document) Hop(n New) (*Document, error) {
	e := newEditor(d.root)
	hops, source := chain(d.root), d.Target()
	if hops[len(hops)-1] != source {
		hops = append(hops, source)
	}
	if n.Said["phase"] == nil {
		n.Said["phase"] = []string{d.text("/handoff/target/expected_phase")}
	}
	e.set("/handoff/source/skill", source, "")
	e.set("/handoff/target", jsontree.NewObject(member("skill", n.Target)), "")
	e.set(chainPath, hops, "")
	e.remove("/handoff/meta/handoff_reason", "")
	e.remove("/handoff/meta/user_approved", "")
	if end, ok := instant(e.root.At("/handoff/expires_at")); ok && !n.At.Before(end) {
		e.remove("/handoff/expires_at", "")
	}
	return d.edited(e).with(n)
}

// with returns the document with the values of n, at the time of n.
func (d *Document) with(n New) (*Document, error) {
	e := newEditor(d.root)
	e.set("/handoff/timestamp", n.At.UTC().Format(time.RFC3339), "")
	for _, f := range Table().Fields {
		for _, flag := range f.Flags {
			if said := n.Said[flag.Name]; len(said) > 0 {
				if err := e.say(f, said); err != nil {
					return nil, err
				}
			}
		}
	}
	if n.Approved {
		e.set("/handoff/meta/user_approved", true, "")
	}
	e.set(hashPath, payloadHash(e.root), "")
	e.measure("")
	recount(e)
	return d.edited(e), nil
}

// say sets a field to the last text, all texts, a JSON object, or files, depending on its type.
func (e *editor) say(f fields.Field, said []string) error {
	last := said[len(said)-1]
	switch {
	case f.Type == "texts":
		e.set(f.Path, said, "")
	case f.Type == "list":
		return e.refer(f.Path, said)
	case last == "":
	case f.Type == "object":
		object, err := jsontree.ParseObject([]byte(last), jsontree.MaxBytes, "payload.working")
		if err != nil {
			return err
		}
		e.set(f.Path, object.Unplaced(), "")
	default:
		e.set(f.Path, last, "")
	}
	return nil
}

// refer adds files to a list of artifacts or references.
func (e *editor) refer(list string, names []string) error {
	for _, name := range names {
		path, sum, err := look(name)
		if err != nil {
			return err
		}
		item := jsontree.NewObject(member("path", path))
		if above(list) == sessionPath {
			if item = artifact(path); sum != "" {
				item.Set("checksum", sum)
			}
		}
		e.add(above(list), list[len(above(list))+1:], item, "")
	}
	return nil
}

// look returns the absolute path of name, and its checksum if it is a file.
func look(name string) (path, sum string, err error) {
	if path, err = filepath.Abs(name); err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return filepath.ToSlash(path), "", nil // validation reports missing files
	}
	f, err := os.Open(path)
	if err != nil {
		return filepath.ToSlash(path), "", nil
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", "", fmt.Errorf("read %s: %w", name, err)
	}
	return filepath.ToSlash(path), fmt.Sprintf("sha256:%x", h.Sum(nil)), nil
}
