package store

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// The files of a store in the user's state. Each can be deleted.
const (
	pinFile    = "head"
	openFile   = "open"
	closedFile = "closed"
	nameFile   = "operator"

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
	return filepath.Join(own, jsontree.SHA256Hex([]byte(state))[:32])
}

// own opens the store's directory in the user's state, nil if there is none.
func (s *Store) own() *disk.Dir {
	path := s.ownPath()
	if path == "" {
		return nil
	}
	d, err := disk.Open(path)
	if err != nil {
		return nil
	}
	return d
}

// makeOwn is own, and makes the directory if it is missing.
func (s *Store) makeOwn() *disk.Dir {
	path := s.ownPath()
	if path == "" {
		return nil
	}
	d, err := disk.Make(path, disk.Modes{})
	if err != nil {
		return nil
	}
	return d
}

// readOwn returns a file of the user's state, nil if there is none.
func readOwn(own *disk.Dir, name string, limit int64) []byte {
	if own == nil {
		return nil
	}
	text, err := own.Read(name, limit)
	if err != nil {
		return nil
	}
	return text
}

func (s *Store) readPin() pin {
	own := s.own()
	if own != nil {
		defer own.Close()
	}
	return parsePin(readOwn(own, pinFile, maxPin))
}

// restore returns the facts of the snapshot, and their point; new facts if there is no good one. With part, closed
// handoffs are left out.
func restore(own *disk.Dir, part bool) *facts.Facts {
	open := readOwn(own, openFile, maxSnapshot)
	if open == nil {
		return facts.New()
	}
	var closed []byte
	if !part {
		if closed = readOwn(own, closedFile, maxSnapshot); closed == nil {
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
	if p == old && !isDue {
		return
	}
	own := s.makeOwn()
	if own == nil {
		return
	}
	defer own.Close()
	if p != old {
		_ = own.Replace(pinFile, p.bytes(), 0, false)
	}
	if isDue {
		open, closed := v.Snapshot()
		_ = own.Replace(closedFile, closed, 0, false)
		_ = own.Replace(openFile, open, 0, false)
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
