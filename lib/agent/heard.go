package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	ofuser "github.com/seed-78daf238/handoff/lib/internal/settings"
)

// A memory is what one session has heard. It is kept in the user's state, outside of every project:
//
//	<state of the user>/handoff/heard/<digest of agent, session, operator>/note
//
// It is a cache: a lost memory never hides a handoff, and handoffs recorded as offered are not announced again.
type memory struct {
	heard
	dir string // "" if there is no place for it
}

// A heard is the note of a memory, as JSON.
type heard struct {
	Cwd   string            `json:"cwd"`   // the directory for which the files were stamped
	Files map[string]string `json:"files"` // the stamps of files; if none has changed, nothing has arrived
	Told  time.Time         `json:"told"`  // of the last announcement; zero if there was none
	Renew time.Time         `json:"renew"` // when a lease of the session must be renewed; zero if it has none
	Known string            `json:"known"` // the short ids of the handoffs that the session knows of, newest first
}

const (
	maxKnown    = 4000
	maxMemories = 256
	maxMemory   = 1 << 20
	forgotten   = 14 * 24 * time.Hour // memories that were not changed for so long are removed
)

// remember returns the memory of a session. It is empty if the session has none.
func remember(getenv func(string) string, agent, session, operator string) memory {
	state := ofuser.UserState(getenv)
	if state == "" || session == "" {
		return memory{}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{agent, session, operator}, "\x00")))
	m := memory{dir: filepath.Join(state, "heard", hex.EncodeToString(sum[:16]))}
	m.read()
	return m
}

// read reads the note. A malformed note counts as missing.
func (m *memory) read() {
	m.heard = heard{}
	info, err := os.Lstat(m.note())
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return
	}
	text, err := os.ReadFile(m.note())
	if err != nil || json.Unmarshal(text, &m.heard) != nil {
		m.heard = heard{}
	}
}

func (m *memory) note() string { return filepath.Join(m.dir, "note") }

// lock makes the directory of the memory and locks it, so that two hooks at once announce once. It then reads the
// memory again. unlock is nil if that fails.
func (m *memory) lock() (unlock func()) {
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

// save writes the note. It does not sync it: a memory that a power cut damages counts as missing.
func (m *memory) save() error {
	fresh := m.note() + ".new"
	if err := os.WriteFile(fresh, jsontree.Encode(m.heard, ""), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, m.note())
}

// learn adds handoffs to those that the session knows of. The oldest are forgotten.
func (m *memory) learn(entries []handoff.Entry) {
	var ids []string
	entries = entries[max(0, len(entries)-maxKnown):]
	for _, e := range slices.Backward(entries) { // the newest comes last
		ids = append(ids, short(e))
	}
	seen := make(map[string]bool, len(ids))
	ids = slices.DeleteFunc(append(ids, strings.Fields(m.Known)...), func(id string) bool {
		was := seen[id]
		seen[id] = true
		return was
	})
	m.Known = strings.Join(ids[:min(len(ids), maxKnown)], " ")
}

// mustLook reports whether the store must be opened: something can have arrived, and the session was not told just
// now, or a lease must be renewed.
func (m *memory) mustLook(cwd string) bool {
	return m.isDue() || !m.isQuiet() && !m.unchanged(cwd)
}

// isQuiet reports whether the last announcement is so recent that none may follow.
func (m *memory) isQuiet() bool { return time.Since(m.Told).Abs() < quiet }

func (m *memory) isDue() bool { return !m.Renew.IsZero() && !time.Now().Before(m.Renew) }

// unchanged reports whether nothing can have arrived since the files were stamped.
func (m *memory) unchanged(cwd string) bool {
	for path, stamp := range m.Files {
		if stampOf(path) != stamp {
			return false
		}
	}
	return len(m.Files) > 0 && m.Cwd == cwd
}

// stamp notes the state of every file that changes when a handoff arrives. Call it before the handoffs are read.
func (m *memory) stamp(cwd string, p handoff.Project) {
	m.Cwd, m.Files = cwd, make(map[string]string)
	roots := []handoff.Options{p.Options}
	if p.OwnReplica != nil {
		roots = append(roots, p.Options.At(p.OwnReplica.Main))
	}
	for _, o := range roots {
		for _, path := range []string{filepath.Join(o.Dir, disk.IndexFile), filepath.Join(o.StateDir, journal.FileName),
			filepath.Join(o.StateDir, disk.LogFile), o.OperatorsFile, filepath.Join(o.Root, handoff.SettingsName)} {
			m.Files[path] = stampOf(path)
		}
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
