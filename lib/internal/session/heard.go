package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Memory is what one session has heard. It is kept in the user's state, outside of every project:
//
//	<state of the user>/handoff/heard/<digest of agent, session, operator>/note
//
// It is a cache: a lost memory never hides a handoff, and handoffs recorded as offered are not announced again.
type Memory struct {
	Heard
	dir string // "" if there is no place for it
}

// A Heard is the note of a Memory, as JSON.
type Heard struct {
	Cwd   string            `json:"cwd"`   // the directory for which the files were stamped
	Files map[string]string `json:"files"` // the stamps of files; if none has changed, nothing has arrived
	Told  time.Time         `json:"told"`  // of the last announcement; zero if there was none
	Renew time.Time         `json:"renew"` // when a lease of the session must be renewed; zero if it has none
	Known string            `json:"known"` // the short ids of the handoffs that the session knows of, newest first
	Ended bool              `json:"ended"` // the session has ended, in the memory of no operator
}

const (
	maxKnown    = 4000
	quiet       = time.Minute // at most one announcement to a session in this time
	maxMemories = 256
	maxMemory   = 1 << 20
	forgotten   = 14 * 24 * time.Hour // memories that were not changed for so long are removed
)

// Remember returns the memory of a session. state is the directory of the user's data. Without it, or without a
// session, there is no place for the memory.
func Remember(state, agent, session, operator string) Memory {
	if state == "" || session == "" {
		return Memory{}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{agent, session, operator}, "\x00")))
	m := Memory{dir: filepath.Join(state, "heard", hex.EncodeToString(sum[:16]))}
	m.read()
	return m
}

// read reads the note. A malformed note counts as missing.
func (m *Memory) read() {
	m.Heard = Heard{}
	info, err := os.Lstat(m.note())
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return
	}
	text, _ := os.ReadFile(m.note())
	v, err := jsontree.Scan(text)
	if err != nil {
		return
	}
	m.Cwd, m.Known, m.Files = v.Get("cwd").Str(), v.Get("known").Str(), make(map[string]string)
	m.Told, _ = time.Parse(time.RFC3339Nano, v.Get("told").Str())
	m.Renew, _ = time.Parse(time.RFC3339Nano, v.Get("renew").Str())
	m.Ended = v.Get("ended") != nil && v.Get("ended").Plain() == true
	if files := v.Get("files"); files != nil {
		for _, f := range files.Members {
			m.Files[f.Name] = f.Value.Str()
		}
	}
}

func (m *Memory) note() string { return filepath.Join(m.dir, "note") }

// HasPlace reports whether the memory can be kept.
func (m *Memory) HasPlace() bool { return m.dir != "" }

// Lock makes the directory of the memory and locks it, so that two hooks at once announce once. It then reads the
// memory again. unlock is nil if that fails.
func (m *Memory) Lock() (unlock func()) {
	if m.dir == "" {
		return nil
	}
	_, err := os.Lstat(m.dir)
	if os.IsNotExist(err) {
		tidy(filepath.Dir(m.dir))
		err = os.MkdirAll(m.dir, 0o700)
	}
	if err != nil {
		return nil
	}
	d, err := disk.OpenDir(m.dir)
	if err != nil {
		return nil
	}
	if d.Lock(context.Background(), 200*time.Millisecond) != nil {
		d.Close()
		return nil
	}
	m.read()
	return func() { d.Close() }
}

// Save writes the note. It does not sync it: a memory that a power cut damages counts as missing.
func (m *Memory) Save() error {
	fresh := m.note() + ".new"
	if err := os.WriteFile(fresh, jsontree.Encode(m.Heard, ""), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, m.note())
}

// Learn adds short ids of handoffs, newest first, to those that the session knows of. The oldest are forgotten.
func (m *Memory) Learn(ids []string) {
	seen := make(map[string]bool, len(ids))
	ids = slices.DeleteFunc(append(ids, strings.Fields(m.Known)...), func(id string) bool {
		was := seen[id]
		seen[id] = true
		return was
	})
	m.Known = strings.Join(ids[:min(len(ids), maxKnown)], " ")
}

// MustLook reports whether the store must be opened: something can have arrived, and the session was not told just
// now, or a lease must be renewed.
func (m *Memory) MustLook(cwd string) bool {
	return m.isDue() || !m.IsQuiet() && !m.IsUnchanged(cwd)
}

// IsQuiet reports whether the last announcement is so recent that none may follow.
func (m *Memory) IsQuiet() bool { return time.Since(m.Told).Abs() < quiet }

func (m *Memory) isDue() bool { return !m.Renew.IsZero() && !time.Now().Before(m.Renew) }

// IsUnchanged reports whether nothing can have arrived since the files were stamped.
func (m *Memory) IsUnchanged(cwd string) bool {
	for path, stamp := range m.Files {
		if stampOf(path) != stamp {
			return false
		}
	}
	return len(m.Files) > 0 && m.Cwd == cwd
}

// Stamp notes the state of the files that change when a handoff arrives. Call it before the handoffs are read.
func (m *Memory) Stamp(cwd string, paths []string) {
	m.Cwd, m.Files = cwd, make(map[string]string)
	for _, path := range paths {
		m.Files[path] = stampOf(path)
	}
}

// stampOf returns the stamp of a file: its size, time of change and inode, "-" if it is missing.
func stampOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "-"
	}
	return fmt.Sprintf("%d.%d.%d", info.Size(), info.ModTime().UnixNano(), inodeOf(info))
}

// tidy removes old memories, so that there are fewer than maxMemories.
func tidy(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type aged struct {
		name string
		at   time.Time
	}
	var all []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode()&fs.ModeType == fs.ModeDir {
			all = append(all, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return b.at.Compare(a.at) })
	for i, a := range all {
		if i >= maxMemories-1 || time.Since(a.at) > forgotten {
			_ = os.RemoveAll(filepath.Join(dir, a.name)) // a memory that stays is removed the next time
		}
	}
}

// Wait makes this process the one that waits for the session. It returns nil if another does, or if there is no
// place for the memory.
func (m *Memory) Wait() (end func()) {
	unlock := m.Lock()
	if unlock == nil {
		return nil
	}
	defer unlock()
	d, err := disk.OpenDir(m.dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	sub, err := d.MakeDir("waiting", 0o700)
	if err != nil {
		return nil
	}
	if sub.Lock(context.Background(), 0) != nil {
		sub.Close()
		return nil
	}
	return func() { sub.Close() }
}
