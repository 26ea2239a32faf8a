package store

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// The files of a store in the user's state. Each can be deleted.
const (
	pinFile    = "head"
	openFile   = "open"
	closedFile = "closed"
	nameFile   = "operator"
	namesFile  = "names"

	versionsFile  = "versions"  // of the logs of the remote
	appendingFile = "appending" // logs that an append was about to change
)

const (
	maxPin      = 4 << 10
	maxSnapshot = 1 << 30
)

// A pin is what a change of this user left.
type pin struct {
	at  log.Point // after its last line
	git string    // the stamp of git's index, as it was found not to track the state
}

func (p pin) bytes() []byte {
	text := p.at.String() + "\n" + p.git + "\n"
	return fmt.Appendf(nil, "%08x\n%s", crc32.ChecksumIEEE([]byte(text)), text)
}

func parsePin(text []byte) (p pin) {
	lines := strings.SplitN(string(text), "\n", 4)
	if len(lines) != 4 {
		return pin{}
	}
	at, ok := log.ParsePoint(lines[1])
	if p = (pin{at, lines[2]}); !ok || string(p.bytes()) != string(text) {
		return pin{}
	}
	return p
}

// ownPath returns the path of the store's directory in the user's state, "" if there is none. A branch can bring files
// into a work tree, so none of it counts.
func (s *Store) ownPath() string {
	if s.Opt.UserState == "" {
		return ""
	}
	own, err := Resolve(s.Opt.UserState)
	root, rootErr := Resolve(s.Opt.Root)
	state, stateErr := Resolve(s.Opt.StateDir)
	isInWork := contains(root, own) && IsThere(filepath.Join(root, ".git"))
	if err != nil || rootErr != nil || stateErr != nil || isInWork {
		return ""
	}
	return filepath.Join(own, json.SHA256Hex([]byte(state))[:32])
}

// ReadUser returns a file of the user outside of the project, nil if it cannot be read.
func ReadUser(path string, most int64) []byte {
	if path == "" {
		return nil
	}
	d, err := disk.Open(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer d.Close()
	text, err := d.Read(filepath.Base(path), most)
	if err != nil {
		return nil
	}
	return text
}

// readOwn returns a file of the store in the user's state, nil if there is none.
func (s *Store) readOwn(name string, most int64) []byte {
	own := s.ownPath()
	if own == "" {
		return nil
	}
	return ReadUser(filepath.Join(own, name), most)
}

// writeOwn replaces a file of the store in the user's state.
func (s *Store) writeOwn(name string, text []byte, isDurable bool) error {
	own := s.ownPath()
	if own == "" {
		return fault.Config("set HOME, or XDG_STATE_HOME, to a directory of your own outside of the project",
			"there is no directory for your state")
	}
	d, err := disk.Make(own, disk.Modes{})
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Replace(name, text, 0, isDurable)
}

func (s *Store) readPin() pin { return parsePin(s.readOwn(pinFile, maxPin)) }

// restore returns the facts of the snapshot, and their point; new facts if there is no good one. With part, closed
// handoffs are left out.
func (s *Store) restore(part bool) *facts.Facts {
	open, closed := s.readOwn(openFile, maxSnapshot), []byte(nil)
	if !part {
		if closed = s.readOwn(closedFile, maxSnapshot); closed == nil {
			return facts.New()
		}
	}
	f, err := facts.Restore(open, closed)
	if err != nil {
		return facts.New()
	}
	return f
}

const leastGrowth = 256 << 10 // bytes of log that are read at most in place of a snapshot

// keep writes the pin, and a snapshot if the log has grown enough since the last one. Errors are ignored: all of it can
// be made again.
func (s *Store) keep(p pin, old pin, v facts.View, since int64) {
	grown := v.At.Offset - since
	isDue := grown >= max(leastGrowth, since/8)
	if p != old {
		_ = s.writeOwn(pinFile, p.bytes(), false)
	}
	if isDue {
		open, closed := v.Snapshot()
		_ = s.writeOwn(closedFile, closed, false)
		_ = s.writeOwn(openFile, open, false)
	}
}

// stamp returns what changes when a file changes: size, time, and the inode where the system has one. It is "" for a
// file that cannot be examined.
func stamp(path string) string {
	info, err := os.Stat(path)
	if path == "" || err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ",
		reflect.ValueOf(info.Sys()).Elem().FieldByName("Ino"))
}
