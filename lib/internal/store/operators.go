package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

// Rules returns the rules of the present operators file. Own writes are judged by them.
func (s *Store) Rules() operators.Rules {
	r := operators.Rules{Path: s.Opt.OperatorsFile, Off: s.Opt.Unverified, Now: s.Opt.Now()}
	if s.Opt.Lenient {
		r.Warn = s.Opt.Warn
	}
	r.List, r.Broken = s.Operators()
	return r
}

// Accepted returns the rules that others' documents and keys are judged by: the accepted ones, and the present ones as
// long as no change has accepted any.
func (s *Store) Accepted(v facts.View) operators.Rules {
	if v.Facts.Rules != nil {
		return operators.Accepted(v.Facts.Rules, v.Now)
	}
	r := s.Rules()
	if r.Warn != nil {
		r.Warn = func(string) {}
	}
	return r
}

// Operators returns the operators file of the project, nil if there is none. A malformed file is fault.ErrConfig.
func (s *Store) Operators() (*operators.List, error) {
	text, err := s.OperatorsText()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return operators.Read(s.Opt.OperatorsFile, text)
}

// OperatorsText returns the text of the operators file. The error is fault.ErrConfig if the file is unreadable or
// outside of the project, and fs.ErrNotExist if it is missing.
func (s *Store) OperatorsText() ([]byte, error) {
	text, err := s.readPlain(s.Opt.OperatorsFile, disk.MaxOperators)
	if err != nil && !errors.Is(err, fault.ErrConfig) && !errors.Is(err, fs.ErrNotExist) {
		err = fault.Config("", "cannot read the operators file: %v", err)
	}
	return text, err
}

// Trust accepts the present rules. They are what others' documents, marks and actions are judged by.
func (s *Store) Trust(ctx context.Context) error {
	now := s.Rules()
	if now.Broken != nil {
		return now.Broken
	}
	return s.Change(ctx, func(c *Change) error {
		c.trust(now)
		return nil
	})
}

// trust plans that rules are accepted.
func (c *Change) trust(now operators.Rules) {
	if rules := now.Event(); !operators.Same(c.Facts.Rules, rules) {
		c.Add(log.Trust, log.Payload{Rules: rules, Operator: c.store.Opt.Operator, Time: log.Stamp(c.Now)})
	}
}

const aboutOperators = "\n# Operators\n\nNames that handoffs can have. `handoff operators --help` explains the keys.\n"

// AddOperator adds an operator to the operators file, which it makes if there is none. If the rules before were the
// accepted ones, those with the operator are.
func (s *Store) AddOperator(ctx context.Context, o operators.Operator) error {
	look, err := s.Look(true)
	if err != nil {
		return err
	}
	before := s.Rules().Event()
	if err := s.editOperators(o); err != nil {
		return err
	}
	if look.Facts.Rules == nil || operators.Same(look.Facts.Rules, before) {
		return s.Trust(ctx)
	}
	return nil
}

func (s *Store) editOperators(o operators.Operator) error {
	path := s.Opt.OperatorsFile
	text, err := s.readPlain(path, disk.MaxOperators)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return placeError(path, err)
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
	edited := "---\n" + longer + "---\n" + body
	if isCRLF {
		edited = strings.ReplaceAll(edited, "\n", "\r\n")
	}
	d, err := disk.Open(filepath.Dir(path))
	if err != nil {
		return placeError(path, err)
	}
	defer d.Close()
	return placeError(path, d.Replace(filepath.Base(path), []byte(edited), 0o644, true))
}

// Operator returns the operator for this store alone, "" if none is set. The user's file in the state directory has it:
// it moves with the project, and serves with any home. The one in the user's state outlives the state directory.
func (s *Store) Operator() string {
	texts := [][]byte{nil, s.readOwn(nameFile, maxPin)}
	if state, err := s.open(s.Opt.StateDir); err == nil && state != nil {
		defer state.Close()
		isName := func(name string) bool { return strings.HasPrefix(name, nameFile+"-") }
		if names, err := state.Names(isName); err == nil && len(names) > 0 {
			texts[0], _ = state.ReadPrivate(s.nameFile(state), maxPin) // others use the store, too
		}
	}
	for _, text := range texts {
		if name := strings.TrimSuffix(string(text), "\n"); form.IsName(name) {
			return name
		}
	}
	return ""
}

// SetOperator sets the operator for this store alone. It fails if neither directory can have the file.
func (s *Store) SetOperator(name string) error {
	text := []byte(name + "\n")
	ownErr := s.writeOwn(nameFile, text, true)
	state, err := s.open(s.Opt.StateDir)
	if err != nil || state == nil {
		return cmp.Or(err, ownErr)
	}
	defer state.Close()
	_ = state.Remove(s.nameFile(state)) // it would keep its mode
	if state.Replace(s.nameFile(state), text, 0o600, true) == nil {
		return nil
	}
	return ownErr
}

// nameFile returns the name of the user's file in the state directory. A branch that brings one, or a copy from
// another machine, does not know it.
func (s *Store) nameFile(state *disk.Dir) string {
	fingerprint, err := s.Fingerprint()
	if err != nil { // no change is possible, and no file has this name
		return ""
	}
	return nameFile + "-" + json.SHA256Hex(fmt.Appendf(nil, "%s|%d", fingerprint, state.User()))[:16]
}

// Confirmed returns the names that the user has confirmed in this store.
func (s *Store) Confirmed() []string {
	return slices.DeleteFunc(strings.Fields(string(s.readOwn(namesFile, maxNames*64))),
		func(name string) bool { return !form.IsName(name) })
}

// Confirm makes a name known. Errors are ignored: the user is asked again.
func (s *Store) Confirm(name string) {
	_ = s.writeOwn(namesFile, []byte(strings.Join(append(s.Confirmed(), name), "\n")+"\n"), false)
}

// SetUser sets a key of the user's configuration. The value must be a plain YAML scalar.
func SetUser(u settings.User, key, value string) error {
	if u.Dir == "" {
		return fault.Config("set HOME, or HANDOFF_OPERATOR", "your configuration directory is unknown")
	}
	d, err := disk.Make(u.Dir, disk.Modes{})
	if err != nil {
		return placeError(u.Dir, err)
	}
	defer d.Close()
	_, err = editFile(d, settings.UserName, "", func(text string) string { return withKey(text, key, value) })
	return placeError(u.File(), err)
}
