package agent

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// What a change does or did.
const (
	Installed = "installed" // the hook was added
	Updated   = "updated"   // the entry that was there was replaced
	Present   = "present"   // nothing to do: it is installed as it should be
	Removed   = "removed"   // the hook was taken out
	Absent    = "absent"    // nothing to do: it is not installed
)

// A Change is what installing or uninstalling does to one file. Nothing is done before [Change.Apply].
type Change struct {
	Path   string // the settings file, as the agent names it
	Status string
	Words  []string // the command that is registered

	// Note says that the agent would not run the hook, or "".
	Note string

	// Backup is a file that stays: it holds the settings as they were before the hook was added, and
	// somebody else has changed them since. "" if there is none.
	Backup string

	agent Agent
	file  file
	text  []byte // what the file is to be
	gone  bool   // the file is to be removed
	tidy  bool   // the backup alone is left, of an uninstall that was interrupted
	again func() (Change, error)
}

// Install returns the change that registers a command with an agent. Without c.To it keeps the operator that
// is registered. What must not be touched is ErrConfig.
func (a Agent) Install(p Places, scope Scope, c Command) (Change, error) {
	if err := c.check(); err != nil {
		return Change{}, err
	}
	f, err := a.locate(p, scope)
	if err != nil {
		return Change{}, err
	}
	ch := Change{Path: f.path, Status: Installed, agent: a, file: f}
	ch.again = func() (Change, error) { return a.Install(p, scope, c) }
	layers, _ := a.read(p, a.layers()) // what cannot be understood is for the self-test to say
	ch.Note = a.off(layers)
	text := f.text
	if !f.exists {
		text = []byte("{}\n")
	}
	s, err := a.parse(f.path, text)
	if err != nil {
		return ch, err
	}
	if err := s.checkKeys(); err != nil {
		return ch, err
	}
	if len(s.ours) > 0 {
		ch.Status = Updated
		if c.To == "" {
			c.To = Operator(s.ours[0].words)
		}
	}
	ch.Words = c.words(a.Name)
	if ch.text, err = s.withHook(c); err != nil {
		return ch, err
	}
	if bytes.Equal(ch.text, f.text) {
		ch.Status = Present
	}
	return ch, a.verify(f.path, ch.text, 1)
}

// Uninstall returns the change that takes every hook of ours out. What must not be touched is ErrConfig.
func (a Agent) Uninstall(p Places, scope Scope) (Change, error) {
	f, err := a.locate(p, scope)
	if err != nil {
		return Change{}, err
	}
	ch := Change{Path: f.path, Status: Absent, agent: a, file: f, text: f.text}
	ch.again = func() (Change, error) { return a.Uninstall(p, scope) }
	if !f.exists {
		return ch, nil
	}
	s, err := a.parse(f.path, f.text)
	if err != nil || len(s.ours) == 0 {
		ch.tidy = err == nil && f.backup != nil && bytes.Equal(f.text, f.backup)
		ch.Backup = ch.kept()
		return ch, err
	}
	ch.Status, ch.Words = Removed, s.ours[0].words
	ch.text = s.withoutHooks(f.backup)
	if s, err = a.parse(f.path, ch.text); err == nil {
		ch.gone = f.backup == nil && s.isBare()
	}
	ch.Backup = ch.kept()
	return ch, a.verify(f.path, ch.text, 0)
}

// kept is the backup that stays once the hook is out.
func (c Change) kept() string {
	if c.file.backup == nil || bytes.Equal(c.text, c.file.backup) {
		return ""
	}
	return filepath.Join(c.file.dir, c.file.name+backupSuffix)
}

// verify proves that an edited text is what it should be, before anything is written.
func (a Agent) verify(path string, text []byte, hooks int) error {
	s, err := a.parse(path, text)
	if err == nil && len(s.ours) != hooks {
		err = refuse("make the change by hand, and report this", "%s: the edit would leave %d hooks, not %d",
			path, len(s.ours), hooks)
	}
	return err
}

// Changes reports whether there is anything to do.
func (c Change) Changes() bool { return c.Status != Present && c.Status != Absent }

// Texts returns the settings before and after the change, and what a diff calls them: /dev/null is no
// file. Where there is nothing to do, the texts are equal.
func (c Change) Texts() (from, to, before, after string) {
	from, to, before, after = c.Path, c.Path, string(c.file.text), string(c.text)
	if !c.Changes() {
		return from, to, before, before
	}
	if !c.file.exists {
		from = "/dev/null"
	}
	if c.gone {
		to, after = "/dev/null", ""
	}
	return from, to, before, after
}

// refuse makes the error about settings that are not touched.
func refuse(advice, format string, args ...any) error {
	err := &handoff.Error{Class: handoff.ErrConfig, Problem: fmt.Sprintf(format, args...), Advice: advice}
	for _, a := range args {
		if cause, ok := a.(error); ok {
			err.Cause = cause
		}
	}
	return err
}
