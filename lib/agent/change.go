package agent

import (
	"bytes"
	"path/filepath"
)

// The values of [Change.Status].
const (
	Installed = "installed" // the hook was added
	Updated   = "updated"   // an older entry was replaced
	Present   = "present"   // nothing to do: it is installed already
	Removed   = "removed"   // the hook was removed
	Absent    = "absent"    // nothing to do: it is not installed
)

// A Change is the effect of Install or Uninstall on one file. Nothing happens before [Change.Apply].
type Change struct {
	Path   string // the settings file, as the agent names it
	Status string
	Words  []string // the registered command for starting sessions, or of the server

	// Backup is a file that is kept after Uninstall, since another program changed the settings meanwhile. It
	// holds the settings from before the hook was added. "" if no file is kept.
	Backup string

	agent Agent
	file  file
	text  []byte // the new content
	gone  bool   // remove the file
	tidy  bool   // the old settings are back, so that no backup is needed
}

// Install returns the change that registers a command with an agent. If c.To is empty, the registered operator
// stays. If the file must not be changed, the error is ErrConfig.
func (a Agent) Install(p Places, scope Scope, c Command) (Change, error) {
	if err := c.check(); err != nil {
		return Change{}, err
	}
	sh := a.sheet(c.Server)
	f, err := a.locate(p, scope, sh)
	if err != nil {
		return Change{}, err
	}
	ch := Change{Path: f.path, Status: Installed, agent: a, file: f}
	if !f.exists && filepath.Ext(f.path) == ".json" {
		f.text = []byte("{}\n")
	}
	s, err := a.parse(f.path, f.text, sh.slots)
	if err != nil {
		return ch, err
	}
	known, words := s.adopt(c)
	known.Server = c.Server
	if ch.text, err = s.install(known); err != nil {
		return ch, err
	}
	if words != nil {
		ch.Status = Updated
	}
	if bytes.Equal(ch.text, f.text) {
		ch.Status = Present
	}
	ch.Words = known.words(a.Name, sh.slots[0].event)
	return ch, nil
}

// Uninstall returns the change that removes all our hooks and what else is ours in their file, or with isServer the
// same for the file of the server for the Model Context Protocol. If the file must not be changed, the error is
// ErrConfig.
func (a Agent) Uninstall(p Places, scope Scope, isServer bool) (Change, error) {
	sh := a.sheet(isServer)
	f, err := a.locate(p, scope, sh)
	if err != nil {
		return Change{}, err
	}
	ch := Change{Path: f.path, Status: Absent, agent: a, file: f, text: f.text}
	if !f.exists || sh.slots[0].event == server && !bytes.Contains(f.text, []byte(serverName)) {
		return ch, nil
	}
	s, err := a.parse(f.path, f.text, sh.slots)
	if err != nil {
		return ch, err
	}
	if c, words := s.adopt(Command{}); words != nil {
		c.Program = words[0]
		ch.Status, ch.Words = Removed, words
		ch.text, err = s.uninstall(f.backup, c)
		ch.gone = f.backup == nil && len(bytes.TrimSpace(ch.text)) == 0
	}
	ch.tidy = f.backup != nil && bytes.Equal(ch.text, f.backup) // also if an earlier uninstall was interrupted
	if f.backup != nil && !ch.tidy {
		ch.Backup = filepath.Join(f.dir, f.name+backupSuffix)
	}
	return ch, err
}

// Changes reports whether there is anything to do.
func (c Change) Changes() bool { return c.Status != Present && c.Status != Absent }

// Texts returns the settings before and after the change, and their names in a diff, where /dev/null stands for
// no file. If there is nothing to do, the texts are equal.
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
