package heard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Memory is what one session has heard. It is kept in the user's state, outside of every project:
//
//	<state of the user>/handoff/heard/<digest of agent and session>/note
//
// It is a cache: a lost memory never hides a handoff.
type Memory struct {
	Note
	Dir string // "" if there is no place for it
}

// A Note is the file of a Memory: its fields and then each path and stamp, a line each. A hook reads it at every
// prompt, and a decoder of JSON would take longer than everything else there.
type Note struct {
	Cwd   string    // the directory for which the files were stamped
	Told  time.Time // of the last announcement; zero if there was none
	Renew time.Time // when a lease of the session must be renewed; zero if it has none
	Known string    // the short ids of what the session was told, newest first
	// Process runs the session, in the form of its writer; "" if it is unknown
	Session, Process string
	Files            map[string]string // the stamps of files; if none has changed, nothing has arrived
}

const (
	noteFields  = 7     // without files
	noteEnd     = "end" // a note without it was cut
	maxKnown    = 4000
	quiet       = time.Minute // at most one announcement to a session in this time
	maxMemories = 256
	maxMemory   = 1 << 20
	forgotten   = 14 * 24 * time.Hour // memories that were not changed for so long are removed
)

// Remember returns the memory of a session. state is the directory of the user's data. Without it, or without a
// session, there is no place for the memory.
func Remember(state, agent, session string) Memory {
	if state == "" || session == "" {
		return Memory{}
	}
	sum := sha256.Sum256([]byte(agent + "\x00" + session))
	m := Memory{Dir: filepath.Join(state, memories, hex.EncodeToString(sum[:16]))}
	m.Read()
	m.Session = session
	return m
}

// memories is the directory of all memories in the state of the user.
const memories = "heard"

// Processes returns the known processes of a session, whichever agent runs it.
func Processes(state, session string) (all []string) {
	if state == "" || session == "" {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Join(state, memories)) // what cannot be read is unknown
	for _, e := range entries {
		m := Memory{Dir: filepath.Join(state, memories, e.Name())}
		if m.Read(); m.Session == session && m.Process != "" {
			all = append(all, m.Process)
		}
	}
	return all
}

// Read reads the note again. A malformed note counts as missing.
func (m *Memory) Read() {
	m.Note = Note{}
	info, err := os.Lstat(m.note())
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return
	}
	text, _ := os.ReadFile(m.note())
	fields := strings.Split(string(text), "\n")
	if len(fields) < noteFields || len(fields)%2 != noteFields%2 || fields[len(fields)-1] != noteEnd {
		return
	}
	m.Cwd, m.Known, m.Session, m.Process = fields[0], fields[3], fields[4], fields[5]
	m.Files = make(map[string]string)
	m.Told, _ = time.Parse(time.RFC3339Nano, fields[1])
	m.Renew, _ = time.Parse(time.RFC3339Nano, fields[2])
	for file := range slices.Chunk(fields[6:len(fields)-1], 2) {
		m.Files[file[0]] = file[1]
	}
}

func (m *Memory) note() string { return filepath.Join(m.Dir, "note") }

// HasPlace reports whether the memory can be kept.
func (m *Memory) HasPlace() bool { return m.Dir != "" }

// Make creates the directory of the memory. It removes old memories first, so that there are fewer than maxMemories.
func (m *Memory) Make() error {
	if _, err := os.Lstat(m.Dir); !os.IsNotExist(err) {
		return err
	}
	tidy(filepath.Dir(m.Dir))
	return os.MkdirAll(m.Dir, 0o700)
}

// Save writes the note. It does not sync it: a memory that a power cut damages counts as missing.
func (m *Memory) Save() error {
	fields := []string{m.Cwd, m.Told.Format(time.RFC3339Nano), m.Renew.Format(time.RFC3339Nano), m.Known,
		m.Session, m.Process}
	for path, stamp := range m.Files {
		fields = append(fields, path, stamp)
	}
	fresh := m.note() + ".new"
	err := os.WriteFile(fresh, []byte(strings.Join(append(fields, noteEnd), "\n")), 0o600)
	if err != nil {
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

// stampOf returns the stamp of a file: its size and time of change, "-" if it is missing.
func stampOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "-"
	}
	return fmt.Sprintf("%d.%d", info.Size(), info.ModTime().UnixNano())
}

// tidy removes old memories.
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
