package memory

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Note is what one session was told, and which process runs it. It is one file in the user's state, outside of every
// project:
//
//	<state of the user>/handoff/sessions/<id of the session>
//
// It is a cache: a lost note never hides a handoff. Its lines are the fields, in their order, times in seconds. Then
// comes a path and a stamp for each file, a line each, and the line end. If no stamp differs, Where is the same and
// Renew lies ahead, or if Told is less than a minute ago, there is nothing to tell.
type Note struct {
	Where   string    // the places for which the files were stamped; see Input.Where
	Told    time.Time // when it was told something last; zero if never
	Renew   time.Time // when a lease of the session must be renewed; zero if it has none
	Session string    // its id
	Name    string    // the session that it continues after it was cleared, "" if it is its own
	Process string    // the process that runs it, "" if unknown
	Began   time.Time // when the session was first heard of
	Known   string    // what it was told, the newest first, with spaces between
	Files   map[string]string

	path string
}

const (
	sessions  = "sessions" // the directory of all notes in the state of the user
	fields    = 9          // lines without those of files
	end       = "end"      // a note without it was cut
	maxKnown  = 4000
	maxNotes  = 256
	maxNote   = 1 << 20
	quiet     = time.Minute         // a session is told at most once in this time
	forgotten = 14 * 24 * time.Hour // notes that were not changed for so long are removed
)

// Read returns the note of a session. A missing or malformed note is empty.
func Read(state, session string) Note {
	n := Note{Session: session}
	if state == "" || session == "" {
		return n
	}
	file := strings.Map(func(r rune) rune {
		if strings.ContainsRune(Letters, r) {
			return r
		}
		return '_'
	}, session)
	n.path = filepath.Join(state, sessions, file)
	n.read()
	return n
}

// Path returns the path of the note, "" if there is no place for it.
func (n *Note) Path() string { return n.path }

func (n *Note) read() {
	info, err := os.Lstat(n.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxNote {
		return
	}
	text, _ := os.ReadFile(n.path)
	lines := strings.Split(string(text), "\n")
	if len(lines) < fields || len(lines)%2 != fields%2 || lines[len(lines)-1] != end {
		return
	}
	n.Where, n.Session, n.Name, n.Process, n.Known = lines[0], lines[3], lines[4], lines[5], lines[7]
	for line, at := range map[int]*time.Time{1: &n.Told, 2: &n.Renew, 6: &n.Began} {
		if seconds, err := strconv.ParseInt(lines[line], 10, 64); err == nil && seconds != 0 {
			*at = time.Unix(seconds, 0)
		}
	}
	n.Files = make(map[string]string)
	for file := range slices.Chunk(lines[fields-1:len(lines)-1], 2) {
		n.Files[file[0]] = file[1]
	}
}

// Write keeps the note. It is not synced: a note that a power cut damages counts as missing.
func (n *Note) Write() error {
	if n.path == "" {
		return fs.ErrNotExist
	}
	if n.Began.IsZero() {
		n.Began = time.Now()
		tidy(filepath.Dir(n.path))
		if err := os.MkdirAll(filepath.Dir(n.path), 0o700); err != nil {
			return err
		}
	}
	seconds := func(at time.Time) string { return strconv.FormatInt(max(at.Unix(), 0), 10) }
	lines := []string{n.Where, seconds(n.Told), seconds(n.Renew), n.Session, n.Name, n.Process, seconds(n.Began),
		n.Known}
	for path, stamp := range n.Files {
		lines = append(lines, path, stamp)
	}
	return os.WriteFile(n.path, []byte(strings.Join(append(lines, end), "\n")), 0o600)
}

// Notes returns the notes of all sessions that a process runs, the one that was changed last first.
func Notes(state, process string) (all []Note) {
	for _, path := range ByTime(filepath.Join(state, sessions)) {
		n := Note{path: path}
		if n.read(); n.Process == process && n.Session != "" {
			all = append(all, n)
		}
	}
	return all
}

// Learn adds what the session was told, the newest first. The oldest is forgotten.
func (n *Note) Learn(told []string) {
	seen := make(map[string]bool, len(told))
	told = slices.DeleteFunc(append(told, strings.Fields(n.Known)...), func(id string) bool {
		was := seen[id]
		seen[id] = true
		return was
	})
	n.Known = strings.Join(told[:min(len(told), maxKnown)], " ")
}

// MustLook reports whether the store must be opened: something can have arrived and the session was not told just now,
// or a lease must be renewed.
func (n *Note) MustLook(where string) bool {
	isDue := !n.Renew.IsZero() && !time.Now().Before(n.Renew)
	return isDue || !n.IsQuiet() && !n.IsUnchanged(where)
}

// IsQuiet reports whether the session was told something so recently that it hears nothing now.
func (n *Note) IsQuiet() bool { return time.Since(n.Told).Abs() < quiet }

// IsUnchanged reports whether nothing can have arrived since the files were stamped.
func (n *Note) IsUnchanged(where string) bool {
	for path, stamp := range n.Files {
		if stampOf(path) != stamp {
			return false
		}
	}
	return len(n.Files) > 0 && n.Where == where
}

// Stamp notes the state of a file that changes if a handoff arrives. Call it before the handoffs are read.
func (n *Note) Stamp(path string) { n.Files[path] = stampOf(path) }

// stampOf returns the size of a file and its time of change, "-" if it is missing.
func stampOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "-"
	}
	return fmt.Sprintf("%d.%d", info.Size(), info.ModTime().UnixNano())
}

// ByTime returns the files of a directory, the one that was changed last first.
func ByTime(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir) // a directory that cannot be read has none
	at := make(map[string]time.Time)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			path := filepath.Join(dir, e.Name())
			at[path], paths = info.ModTime(), append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return at[b].Compare(at[a]) })
	return paths
}

// tidy removes old notes.
func tidy(dir string) {
	for i, path := range ByTime(dir) {
		info, err := os.Lstat(path)
		if i >= maxNotes-1 || err == nil && time.Since(info.ModTime()) > forgotten {
			_ = os.Remove(path) // a note that stays is removed the next time
		}
	}
}
