package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

// An artifact is what a command names: standard input, a file, or a stored handoff.
type artifact struct {
	name string
	text []byte            // of a file or standard input
	doc  *handoff.Document // nil for a text without frontmatter
	id   string            // of a stored handoff, else ""
	path string            // of the document
}

// readArtifact reads an artifact. A stored handoff is in s, nil for the store of the project.
func readArtifact(a *cli.App, s *handoff.Store, name string) (artifact, error) {
	if isStored(name) || isMissing(name) && strings.HasSuffix(name, ".md") {
		var err error
		if s == nil {
			s, err = a.Store()
		}
		var got handoff.Stored
		if err == nil {
			got, err = s.Read(name)
		}
		if err == nil {
			return artifact{name: got.Entry.ID, id: got.Entry.ID, doc: &got.Document, path: got.Path}, nil
		}
		if isStored(name) {
			return artifact{name: name}, err
		}
	}
	shown, text, err := a.ReadNamed(name)
	got := artifact{name: shown, text: text, path: name}
	if err != nil || !handoff.HasFrontmatter(text) {
		return got, err
	}
	doc, err := handoff.Parse(handoff.Source{Name: shown, Text: text}, handoff.PlainRules, cli.MaxInput)
	got.doc = &doc
	return got, err
}

// isStored reports whether a name means a stored handoff by its id, and not a file.
func isStored(name string) bool { return looksLikeID(name) && isMissing(name) }

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// looksLikeID reports whether a name can be an id, a prefix or @.
func looksLikeID(name string) bool {
	digits := strings.TrimPrefix(strings.ToLower(name), "sha256:")
	return name == "@" || len(digits) >= 4 && len(digits) <= 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// input returns the artifact for a check. err is that of reading it. JSON of no known shape counts as a packet. The id
// in a document from outside the store must match its content.
func (g artifact) input(err error) kinds.Input {
	if err == nil && g.doc != nil {
		var id string
		if id, err = handoff.ID(*g.doc); err == nil && g.doc.HandoffID != "" && id != g.doc.HandoffID {
			err = &handoff.IDMismatchError{Claimed: g.doc.HandoffID, Computed: id}
		}
		in := handoff.InputOf(g.name, *g.doc)
		in.ID, in.Err = g.id, err
		return in
	}
	in := kinds.Input{Name: g.name, Err: err}
	if err == nil {
		var r kinds.Record
		r, in.Err = g.read(kinds.Given{Kind: kinds.Packet, Project: "-", Me: "-"})
		in.Record = &r
	}
	return in
}

// read reads the record of the artifact. The kind that is given counts for JSON of no known shape; "" makes that an
// error.
func (g artifact) read(given kinds.Given) (kinds.Record, error) {
	text := g.json()
	if shape, _ := kinds.Shape(text); shape != "" {
		given.Kind = shape
	}
	return kinds.Read(text, given)
}

// json returns the record of the artifact as JSON, or its text.
func (g artifact) json() []byte {
	if g.doc == nil {
		return g.text
	}
	if r, is := kinds.Extract(g.doc.Body); is {
		return r.JSON()
	}
	return []byte(g.doc.Body)
}

// exists reports whether a file that the record names exists. A file that cannot be checked counts as existing.
func (g artifact) exists(path string) bool {
	if !filepath.IsAbs(path) && g.id == "" {
		path = filepath.Join(filepath.Dir(g.path), path)
	}
	return !isMissing(path) && !strings.ContainsRune(path, 0)
}
