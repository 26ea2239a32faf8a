// Package memory knows what a running session was told, which process runs it, and whether it must be told more.
//
// Agents run a hook at each prompt and after each tool, and mostly there is no news. So the package imports little: a
// program can look into a [Note] before its other packages initialize. Package strings comes late, as path/filepath.
package memory

import (
	"bytes"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// A Note is what one session was told, and which process runs it. It is one file in the user's state, outside of every
// project:
//
//	<state of the user>/handoff/sessions/<id of the session>
//
// It is a cache: a lost note never hides a handoff. Its lines are the fields in their order, without the last one. Then
// comes a path and a stamp for each file, a line each, and the line end. If no stamp differs, Where is the same and
// Renew lies ahead, or if Told is less than a minute ago, there is nothing to tell.
type Note struct {
	Where   string // the places for which the files were stamped
	Session string // its id
	Name    string // the session that it continues after it was cleared, "" if it is its own
	Process string // the process that runs it, "" if unknown
	Known   string // what it was told, the newest first, with spaces between
	Told    int64  // when it was told something last, in seconds since 1970; 0 if never
	Renew   int64  // when a lease of the session must be renewed; 0 if it has none
	Began   int64  // when the session was first heard of
	Files   map[string]string

	path string
}

const (
	sessions  = "/sessions/" // the directory of all notes in the state of the user
	end       = "end"        // a note without it was cut
	maxNotes  = 256
	maxNote   = 1 << 20
	quiet     = 60                  // seconds in which a session is told once
	forgotten = 14 * 24 * time.Hour // files that were not changed for so long are removed
)

// State returns the directory of the user's state, "" if the environment does not determine it.
func State(getenv func(string) string) string {
	return Dir(getenv, "XDG_STATE_HOME", ".local/state", "LocalAppData")
}

// Dir returns the program's directory in the directory of a variable, otherwise in one below the home directory. It
// follows the XDG Base Directory Specification, and the conventions of macOS and Windows.
func Dir(getenv func(string) string, variable, below, windows string) string {
	base, home := getenv(variable), getenv("HOME")
	switch {
	case runtime.GOOS == "windows":
		base = getenv(windows)
	case base != "" || home == "":
	case runtime.GOOS == "darwin":
		base = home + "/Library/Application Support"
	default:
		base = home + "/" + below
	}
	for len(base) > 1 && base[len(base)-1] == '/' {
		base = base[:len(base)-1]
	}
	if base == "" || base[0] != '/' && (len(base) < 3 || base[1] != ':' || runtime.GOOS != "windows") {
		return ""
	}
	return base + "/handoff"
}

// Letters are the characters of the id of a session.
const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// Name returns an id of an agent in the form that a take accepts: Letters, digits, - and _. It is "" for other ids.
func Name(id string) string {
	name := []byte(id)
	for i, c := range name {
		if c == '.' || c == ':' {
			name[i] = '-'
		} else if !isLetter(c) {
			return ""
		}
	}
	if len(name) > 128 {
		return ""
	}
	return string(name)
}

func isLetter(c byte) bool { return bytes.IndexByte([]byte(Letters), c) >= 0 }

// Read returns the note of a session. A missing or malformed note is empty.
func Read(state, session string) Note {
	n := Note{Session: session}
	if state == "" || session == "" {
		return n
	}
	file := []byte(session)
	for i, c := range file {
		if !isLetter(c) {
			file[i] = '_'
		}
	}
	n.path = state + sessions + string(file)
	n.read()
	return n
}

// Path returns the path of the note, "" if there is no place for it.
func (n *Note) Path() string { return n.path }

func (n *Note) texts() []*string {
	return []*string{&n.Where, &n.Session, &n.Name, &n.Process, &n.Known}
}

func (n *Note) times() []*int64 { return []*int64{&n.Told, &n.Renew, &n.Began} }

func (n *Note) read() {
	info, err := os.Lstat(n.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxNote {
		return
	}
	text, _ := os.ReadFile(n.path)
	lines := bytes.Split(text, []byte("\n"))
	if len(lines) < 9 || len(lines)%2 == 0 || string(lines[len(lines)-1]) != end {
		return
	}
	for i, at := range n.texts() {
		*at = string(lines[i])
	}
	for i, at := range n.times() {
		*at, _ = strconv.ParseInt(string(lines[5+i]), 10, 64) // another text is never
	}
	n.Files = make(map[string]string)
	for file := range slices.Chunk(lines[8:len(lines)-1], 2) {
		n.Files[string(file[0])] = string(file[1])
	}
}

// Write keeps the note. It is not synced: a note that a power cut damages counts as missing.
func (n *Note) Write() error {
	if n.path == "" {
		return fs.ErrNotExist
	}
	if n.Began == 0 {
		n.Began = time.Now().Unix()
		dir := n.path[:bytes.LastIndexByte([]byte(n.path), '/')]
		for i, old := range ByTime(dir) {
			if i >= maxNotes {
				_ = os.Remove(old) // a note that stays is removed the next time
			}
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	lines := ""
	for _, at := range n.texts() {
		lines += *at + "\n"
	}
	for _, at := range n.times() {
		lines += strconv.FormatInt(*at, 10) + "\n"
	}
	for path, stamp := range n.Files {
		lines += path + "\n" + stamp + "\n"
	}
	return os.WriteFile(n.path, []byte(lines+end), 0o600)
}

// Notes returns the notes of all sessions that a process runs, the one that was changed last first.
func Notes(state, process string) (all []Note) {
	for _, path := range ByTime(state + sessions) {
		n := Note{path: path}
		if n.read(); n.Process == process && n.Session != "" {
			all = append(all, n)
		}
	}
	return all
}

// MustTell reports whether something can have arrived, and the session was not told just now.
func (n *Note) MustTell(where string) bool {
	isQuiet := max(time.Now().Unix()-n.Told, n.Told-time.Now().Unix()) < quiet
	if len(n.Files) == 0 || n.Where != where {
		return !isQuiet
	}
	for path, stamp := range n.Files {
		if stampOf(path) != stamp {
			return !isQuiet
		}
	}
	return false
}

// MustRenew reports whether a lease must be renewed.
func (n *Note) MustRenew() bool { return n.Renew != 0 && time.Now().Unix() >= n.Renew }

// Stamp notes the state of a file that changes if a handoff arrives. Call it before the handoffs are read.
func (n *Note) Stamp(path string) { n.Files[path] = stampOf(path) }

// stampOf returns the size of a file and its time of change, "-" if it is missing.
func stampOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "-"
	}
	return strconv.FormatInt(info.Size(), 10) + "." + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}

// ByTime returns the files of a directory, the one that was changed last first. It removes those that are 14 days old.
func ByTime(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir) // a directory that cannot be read has none
	at := make(map[string]time.Time)
	for _, e := range entries {
		path := dir + "/" + e.Name()
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case time.Since(info.ModTime()) > forgotten:
			_ = os.Remove(path) // a file that stays is removed the next time
		default:
			at[path], paths = info.ModTime(), append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return at[b].Compare(at[a]) })
	return paths
}
