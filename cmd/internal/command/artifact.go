package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
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
	name, text, err := a.ReadNamed(name)
	got := artifact{name: name, text: text, path: name}
	if err != nil || !handoff.HasFrontmatter(text) {
		return got, err
	}
	doc, err := handoff.Parse(handoff.Source{Name: name, Text: text}, handoff.PlainRules, cli.MaxInput)
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

// input returns the artifact for a check. The id in a document from outside the store must match its content.
func (g artifact) input() packet.Input {
	if g.doc == nil {
		return record.InputJSON(g.name, g.text, schema.Universal())
	}
	id, err := handoff.ID(*g.doc)
	if err == nil && g.doc.HandoffID != "" && id != g.doc.HandoffID {
		err = &handoff.IDMismatchError{Claimed: g.doc.HandoffID, Computed: id}
	}
	if err != nil {
		return packet.Input{Name: g.name, Err: err}
	}
	return record.Input(g.name, *g.doc, schema.Universal())
}

// record returns the record of the artifact as JSON.
func (g artifact) record() ([]byte, error) {
	if g.doc == nil {
		return g.text, nil
	}
	stored := handoff.Stored{Document: *g.doc, Path: g.path}
	stored.Entry.ID = g.id
	block, err := record.Extract(stored)
	return block.JSON, err
}

// exists reports whether a file that the record names exists. A file that cannot be checked counts as existing.
func (g artifact) exists(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.dir(), path)
	}
	return !isMissing(path) && !strings.ContainsRune(path, 0)
}

// dir returns the base of relative paths in the record.
func (g artifact) dir() string {
	if g.id != "" {
		return "."
	}
	return filepath.Dir(g.path)
}
