package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

const aboutOperators = "\n# Operators\n\nWho may be named in handoffs. `handoff help operators` explains the keys.\n"

// AddOperator does what Store.AddOperator of package handoff promises.
func AddOperator(s *Store, o operators.Operator) error {
	path := s.ListedIn()
	text, err := s.ReadPlain(path, disk.MaxOperators)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return PlaceError(path, err)
	}
	head, body := "", aboutOperators
	if err == nil {
		h, _, faulty := document.Split(text)
		if faulty != nil {
			return fault.New(fault.ErrConfig, "mend the file; `handoff operators validate` shows every fault", "the operators file: %s", faulty.Problem)
		}
		head = string(h)
		body = string(text[strings.Index(string(text), head)+len(head):])
		body = strings.TrimPrefix(body, "---\n")
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
	edited := []byte("---\n" + longer + "---\n" + body)
	return PlaceError(path, d.ReplaceIf(filepath.Base(path), edited, 0o644, func() error {
		if now, err := s.ReadPlain(path, disk.MaxOperators); string(now) != string(text) && !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.ErrBusy, "run the same command again", "%s was changed meanwhile", path)
		}
		return nil
	}))
}

var operatorKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^operator[ \t]*:.*$`) })

// SetOperator writes into the user's configuration who the user is.
func SetOperator(u settings.User, operator string) error {
	if u.Dir == "" {
		return fault.New(fault.ErrConfig, "set HOME, or HANDOFF_OPERATOR", "nobody can say where the user's configuration is")
	}
	if err := os.MkdirAll(filepath.Dir(u.Dir), 0o755); err != nil {
		return fault.New(fault.ErrConfig, "", "the user's configuration cannot be written: %v", err)
	}
	d, err := disk.MakeDir(u.Dir, 0o700)
	if err != nil {
		return PlaceError(u.Dir, err)
	}
	defer d.Close()
	_, err = editFile(d, settings.UserName, "", func(text string) string {
		line := "operator: " + operator
		if operatorKey().MatchString(text) {
			return operatorKey().ReplaceAllLiteralString(text, line)
		}
		return withLines(text, []string{line})
	})
	return PlaceError(u.File(), err)
}
