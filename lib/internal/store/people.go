package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

const aboutOperators = "\n# Operators\n\nWho may be named in handoffs. `handoff help operators` explains the keys.\n"

// AddOperator implements Store.AddOperator of package handoff.
func AddOperator(s *Store, o operators.Operator) error {
	path := s.Opt.OperatorsFile
	text, err := s.ReadPlain(path, disk.MaxOperators)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return PlaceError(path, err)
	}
	head, body, isCRLF := "", aboutOperators, bytes.Contains(text, []byte("\r\n"))
	if err == nil {
		plain := form.Normal(text)
		h, _, faulty := document.Split(plain)
		if faulty != nil {
			return fault.At(path, faulty.Line, fault.Config(
				"fix the file; `handoff operators validate` lists all faults",
				"the operators file: %s", faulty.Problem))
		}
		head = string(h)
		_, after, _ := strings.Cut(string(plain), "\n") // without the line ---, and spaces after it
		_, body, _ = strings.Cut(after[len(head):], "\n")
	}
	longer, err := operators.Add(head, o)
	if err != nil {
		return err
	}
	_, d, err := Locate(filepath.Dir(path))
	if err != nil || d == nil {
		return PlaceError(path, errors.Join(err, fs.ErrNotExist))
	}
	defer d.Close()
	edited := "---\n" + longer + "---\n" + body
	if isCRLF {
		edited = strings.ReplaceAll(edited, "\n", "\r\n")
	}
	return PlaceError(path, d.ReplaceIf(filepath.Base(path), []byte(edited), 0o644, func() error {
		if now, err := s.ReadPlain(path, disk.MaxOperators); string(now) != string(text) &&
			!errors.Is(err, fs.ErrNotExist) {
			return fault.Busy("repeat the command", "%s was changed meanwhile", path)
		}
		return nil
	}))
}

// SetUser sets a key of the user's configuration. The value must be a plain YAML scalar.
func SetUser(u settings.User, key, value string) error {
	if u.Dir == "" {
		return fault.Config("set HOME, or HANDOFF_OPERATOR", "your configuration directory is unknown")
	}
	if err := os.MkdirAll(filepath.Dir(u.Dir), 0o755); err != nil {
		return fault.Config("", "cannot write your configuration: %v", err)
	}
	d, err := disk.MakeDir(u.Dir, 0o700)
	if err != nil {
		return PlaceError(u.Dir, err)
	}
	defer d.Close()
	_, err = editFile(d, settings.UserName, "", func(text string) string {
		return withKey(text, key, value)
	})
	return PlaceError(u.File(), err)
}
