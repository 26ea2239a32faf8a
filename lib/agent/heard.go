package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	ofuser "github.com/seed-78daf238/handoff/lib/internal/settings"
)

// A memory is what one session has heard. It is kept in the user's state, outside of every project:
//
//	<state of the user>/handoff/heard/<digest of agent, session, operator>/note
//
// It is a cache: a lost memory never hides a handoff, and handoffs recorded as offered are not announced again.
type memory struct {
	cwd   string    // the directory for which the files were stamped
	files []stamped // if none of them has changed, nothing has arrived
	told  time.Time // of the last announcement; zero if there was none
	known []string  // the short ids of the handoffs that the session knows of, newest first
	renew time.Time // when a lease of the session must be renewed; zero if it has none

	dir string // "" if there is no place for it
}

// A stamped file is a file with its size, time of change and inode. A missing file has the stamp "-".
type stamped struct{ path, stamp string }

const (
	heardMagic  = "handoff heard 1\n"
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
	*m = memory{dir: m.dir}
	info, err := os.Lstat(m.note())
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return
	}
	text, err := os.ReadFile(m.note())
	body, isNote := strings.CutPrefix(string(text), heardMagic)
	body, isWhole := strings.CutSuffix(body, "end\n")
	if err != nil || !isNote || !isWhole {
		return
	}
	for line := range strings.SplitSeq(body, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "cwd":
			m.cwd, _ = strconv.Unquote(value)
		case "told":
			m.told = timeOf(value)
		case "renew":
			m.renew = timeOf(value)
		case "file":
			stamp, path, _ := strings.Cut(value, " ")
			if path, err := strconv.Unquote(path); err == nil {
				m.files = append(m.files, stamped{path, stamp})
			}
		case "knows":
			m.known = strings.Fields(value)
		}
	}
}

// timeOf returns the time for milliseconds since 1970, zero if text is none.
func timeOf(text string) time.Time {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
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
	var b strings.Builder
	fmt.Fprintf(&b, "%scwd %q\ntold %d\nrenew %d\n", heardMagic, m.cwd, m.told.UnixMilli(), m.renew.UnixMilli())
	for _, f := range m.files {
		fmt.Fprintf(&b, "file %s %q\n", f.stamp, f.path)
	}
	fmt.Fprintf(&b, "knows %s\nend\n", strings.Join(m.known[:min(len(m.known), maxKnown)], " "))
	fresh := m.note() + ".new"
	if err := os.WriteFile(fresh, []byte(b.String()), 0o600); err != nil {
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
	seen := make(map[string]bool, len(ids)+len(m.known))
	m.known = slices.DeleteFunc(append(ids, m.known...), func(id string) bool {
		was := seen[id]
		seen[id] = true
		return was
	})
}

// mustLook reports whether the store must be opened: something can have arrived, and the session was not told just
// now, or a lease must be renewed.
func (m *memory) mustLook(cwd string) bool {
	return m.isDue() || !m.isQuiet() && !m.unchanged(cwd)
}

// isQuiet reports whether the last announcement is so recent that none may follow.
func (m *memory) isQuiet() bool { return time.Since(m.told).Abs() < quiet }

func (m *memory) isDue() bool { return !m.renew.IsZero() && !time.Now().Before(m.renew) }

// unchanged reports whether nothing can have arrived since the files were stamped.
func (m *memory) unchanged(cwd string) bool {
	return len(m.files) > 0 && m.cwd == cwd &&
		!slices.ContainsFunc(m.files, func(f stamped) bool { return stampOf(f.path) != f.stamp })
}

// stamp notes the state of every file that changes when a handoff arrives. Call it before the handoffs are read.
func (m *memory) stamp(cwd string, p handoff.Project) {
	m.cwd, m.files = cwd, nil
	roots := []handoff.Options{p.Options}
	if p.OwnReplica != nil {
		roots = append(roots, p.Options.At(p.OwnReplica.Main))
	}
	var paths []string
	for _, o := range roots {
		paths = append(paths, filepath.Join(o.Dir, disk.IndexFile), filepath.Join(o.StateDir, journal.FileName),
			filepath.Join(o.StateDir, disk.LogFile), o.OperatorsFile, filepath.Join(o.Root, handoff.SettingsName))
	}
	for _, path := range paths {
		m.files = append(m.files, stamped{path, stampOf(path)})
	}
}

// stampOf returns the stamp of a file.
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
