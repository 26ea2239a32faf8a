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

// The forms of the values of a probe.
var (
	word = document.Form{Want: fmt.Sprintf("a word of at most %d bytes without NUL", maxWord),
		Fits: func(s string) bool { return len(s) <= maxWord && !strings.ContainsRune(s, 0) }}
	duration = document.Form{Want: "a duration such as 90s or 10m, from 1s to 2h", Fits: func(s string) bool {
		d, err := time.ParseDuration(s)
		return err == nil && d >= time.Second && d <= longestTime
	}}
)

func parse(text []byte) (probes []Probe, err error) {
	file, root := document.ReadFile(text, document.YAMLOptions{Name: "the file", MaxBytes: maxBytes,
		MaxNodes: maxNodes}, "probes")
	all := root.Required("probes")
	if len(all.Members) == 0 || len(all.Members) > maxProbes {
		file.Fault(all, "probes must be a mapping of 1 to %d probes by name", maxProbes)
	}
	for _, m := range all.Members {
		if !form.IsSlug(m.Key.Text, relation.MaxProbe) {
			file.Fault(m.Key, "%s is not a name: use 1 to %d ASCII letters, digits, _ and -", fault.Quote(m.Key.Text),
				relation.MaxProbe)
		}
		e := file.Entries(m.Value, "the probe "+fault.Quote(m.Key.Text), "argv", "timeout")
		p := Probe{Name: m.Key.Text, Timeout: defaultTime}
		argv := e.Required("argv")
		if n := len(argv.Items); n == 0 || n > maxWords || argv.Items[0].Text == "" {
			file.Fault(argv, "%s: argv must be a list of 1 to %d words: a program and its arguments; no shell is "+
				"involved", e.Name, maxWords)
		} else {
			p.Argv = e.Texts("argv", word)
		}
		if limit := e.Optional("timeout", duration, "!!int", "!!float"); limit != "" {
			p.Timeout, _ = time.ParseDuration(limit)
		}
		probes = append(probes, p)
	}
	if len(file.Faults) == 0 {
		return probes, nil
	}
	fault.Sort(file.Faults)
	list := func(problem func(fault.Fault) string) string {
		return strings.Join(fault.Lines(file.Faults, func(f fault.Fault) string {
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
