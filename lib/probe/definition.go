// Package probe tests whether the claims of a handoff are true, by running tests that the project defines. A
// handoff names a probe, never a command. The file [Name] in the root of the project defines the probes:
//
//	probes:
//	  test: {argv: [go, test, ./...], timeout: 10m}
//
// The file comes with every clone of the project. No probe runs before the receiving person has allowed exactly
// these bytes ([Allowed]) and the project's scripts that they name. That person judges whether a probe only
// reads: it runs with their rights, without a sandbox.
package probe

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/settings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Name is the name of the file that defines the probes of a project.
const Name = ".handoff-probes.yaml"

const (
	maxBytes    = 64 << 10
	maxNodes    = 2000
	maxProbes   = 64
	maxWords    = 256  // in one command
	maxWord     = 4096 // bytes in one word
	defaultTime = 10 * time.Minute
	longestTime = 2 * time.Hour
)

// A Probe is one command of a project.
type Probe struct {
	Name    string
	Argv    []string
	Timeout time.Duration
}

// A Definition is the parsed definition file of a project.
type Definition struct {
	Path   string // absolute, without symbolic links
	Text   []byte
	Probes []Probe // in the order of the file
	Files  []File  // the scripts of the project that the probes name
}

// Read reads the definition of the project at root. A missing file is fs.ErrNotExist. A file that is not regular,
// or belongs to another user than the caller or root, is fault.ErrDenied. A malformed file is fault.ErrConfig.
func Read(root string) (*Definition, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	d, err := disk.OpenDir(root)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	def := &Definition{Path: filepath.Join(root, Name)}
	text, entry, err := d.AppendEntry(nil, Name, maxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.Is(err, disk.ErrUnsafe), errors.Is(err, disk.ErrTooLarge):
		return nil, fault.Denied("replace it with a regular file", "%v", err)
	case err != nil:
		return nil, fault.Unreadable(err)
	case !settings.IsTrusted(root) || entry.Owner != 0 && int(entry.Owner) != os.Geteuid():
		return nil, fault.Denied("use your own clone",
			Name+" or its directory belongs to another user; no probe ran")
	}
	def.Text = text
	if def.Probes, err = parse(form.Normal(text)); err == nil {
		def.Files, err = filesOf(root, def.Probes)
	}
	return def, err
}

// Find returns the probe with a name. If there is none, the error is fault.ErrInvalid.
func (d *Definition) Find(name string) (Probe, error) {
	var names []string
	for _, p := range d.Probes {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	hint := "it defines " + strings.Join(names, ", ")
	if near := form.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return Probe{}, fault.Invalid(hint, Name+" defines no probe with that name")
}

// Digest returns the hash of the path, the bytes and the named scripts. A permission and a result belong to one
// digest.
func (d *Definition) Digest() string {
	text := fmt.Appendf(nil, "%s\x00%s", d.Path, d.Text)
	for _, f := range d.Files {
		text = fmt.Appendf(text, "\x00%s\x00%s", f.Name, f.SHA256)
	}
	return jsontree.SHA256Hex(text)
}

// Changed returns the first file among the definition and its scripts that has changed, or "".
func (d *Definition) Changed() string {
	now, err := Read(filepath.Dir(d.Path))
	if err != nil || now.Path != d.Path || !bytes.Equal(now.Text, d.Text) {
		return Name
	}
	for _, f := range slices.Concat(d.Files, now.Files) {
		if !slices.Contains(d.Files, f) || !slices.Contains(now.Files, f) {
			return f.Name
		}
	}
	return ""
}

func parse(text []byte) ([]Probe, error) {
	root, faults := document.ReadYAML(text, document.YAMLOptions{Name: "the file", MaxBytes: maxBytes,
		MaxNodes: maxNodes})
	p := &parser{faults: faults}
	var probes []Probe
	switch {
	case len(faults) > 0:
	case root == nil || root.Kind != document.Mapping || len(root.Members) != 1 || root.Members[0].Key.Text != "probes":
		p.fault(root, "the file must be a mapping with the key probes")
	default:
		probes = p.probes(root.Members[0].Value)
	}
	if len(p.faults) == 0 {
		return probes, nil
	}
	list := func(problem func(fault.Fault) string) string {
		return strings.Join(fault.Lines(p.faults, func(f fault.Fault) string {
			return fmt.Sprintf("%s:%d: %s", Name, max(f.Line, 1), problem(f))
		}), "\n")
	}
	return nil, &fault.Error{Class: fault.ErrConfig,
		Advice:  "the form is `probes: {test: {argv: [go, test, ./...], timeout: 10m}}`",
		Problem: list(func(f fault.Fault) string { return f.Problem }),
		Words: list(func(f fault.Fault) string {
			return fault.PlainFaults([]fault.Fault{{Problem: f.Problem}})
		})}
}

// A parser collects all faults of a file.
type parser struct{ faults []fault.Fault }

func (p *parser) fault(at *document.Node, format string, args ...any) {
	f := fault.Fault{Line: 1, Problem: fmt.Sprintf(format, args...)}
	if at != nil {
		f.Line = at.Line
	}
	p.faults = append(p.faults, f)
}

func (p *parser) probes(n *document.Node) (all []Probe) {
	if n.Kind != document.Mapping || len(n.Members) == 0 || len(n.Members) > maxProbes {
		p.fault(n, "probes must be a mapping of 1 to %d probes by name", maxProbes)
		return nil
	}
	for _, m := range n.Members {
		if !form.IsSlug(m.Key.Text, relation.MaxProbe) {
			p.fault(m.Key, "%s is not a name: use 1 to %d ASCII letters, digits, _ and -", fault.Quote(m.Key.Text),
				relation.MaxProbe)
		}
		all = append(all, p.probe(m.Key.Text, m.Value))
	}
	return all
}

func (p *parser) probe(name string, n *document.Node) Probe {
	made := Probe{Name: name, Timeout: defaultTime}
	if n.Kind != document.Mapping {
		p.fault(n, "a probe must be a mapping with argv and an optional timeout")
		return made
	}
	for _, m := range n.Members {
		switch m.Key.Text {
		case "argv":
			made.Argv = p.argv(m.Value)
		case "timeout":
			made.Timeout = p.timeout(m.Value)
		default:
			p.fault(m.Key, "unknown key %s; a probe has argv and timeout", fault.Quote(m.Key.Text))
		}
	}
	if made.Argv == nil {
		p.fault(n, "the probe has no argv")
	}
	return made
}

func (p *parser) argv(n *document.Node) (words []string) {
	words = []string{}
	if n.Kind != document.List || len(n.Items) == 0 || len(n.Items) > maxWords {
		p.fault(n, "argv must be a list of 1 to %d words: a program and its arguments; no shell is involved",
			maxWords)
		return words
	}
	for i, w := range n.Items {
		switch {
		case w.Kind != document.Scalar || w.Tag != "!!str":
			p.fault(w, "a word of argv must be a string; write it in quotes")
		case i == 0 && w.Text == "", len(w.Text) > maxWord, strings.ContainsRune(w.Text, 0):
			p.fault(w, "a word of argv is empty, has more than %d bytes, or holds a NUL", maxWord)
		}
		words = append(words, w.Text)
	}
	return words
}

func (p *parser) timeout(n *document.Node) time.Duration {
	d, err := time.ParseDuration(n.Text)
	if n.Kind != document.Scalar || err != nil || d < time.Second || d > longestTime {
		p.fault(n, "timeout must be a duration such as 90s or 10m, from 1s to 2h")
		return defaultTime
	}
	return d
}
