package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Sent is how far sync has sent the audit log. It is kept where a checkout, `git clean` or a restored
// backup of the project cannot change it.
type Sent struct {
	Writer string `json:"writer"`
	Offset int64  `json:"offset"` // in the audit log, after the last event that was sent
	End    string `json:"end"`    // see EndOf
}

const maxEnd = 4 << 10

// EndOf returns the SHA-256 of the last 4,096 bytes, or fewer, of a log before an offset.
func EndOf(log io.ReaderAt, offset int64) (string, error) {
	end := make([]byte, min(offset, maxEnd))
	if n, err := log.ReadAt(end, offset-int64(len(end))); n < len(end) {
		return "", err
	}
	return jsontree.SHA256Hex(end), nil
}

// CheckSent returns ErrIntegrity if the audit log does not begin with the part that sync has sent. The log
// vanished, shrank or was replaced, although the writer is the same. So it does if nothing was sent, but all of a
// synced store vanished. CheckSent reads two small files.
func (s *Store) CheckSent() error {
	sent, err := s.sent()
	if err != nil {
		return err
	}
	if sent.Offset == 0 {
		return s.checkVanished()
	}
	state, err := s.OpenToRead(s.Opt.StateDir)
	if err != nil {
		return err
	}
	if state == nil {
		return s.LogLost("is gone")
	}
	defer state.Close()
	record, err := ReadMachine(state)
	if passing(err) != nil {
		return err
	}
	if err == nil && sent.Writer != "" && record.Writer != sent.Writer {
		return nil // this log began after that one
	}
	log, err := state.Open(disk.LogFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s.LogLost("is gone")
	} else if err != nil {
		return passing(err) // other checks report any other error
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return err
	}
	if info.Size() < sent.Offset {
		return s.LogLost("is shorter than the part that was synced")
	}
	end, err := EndOf(log, sent.Offset)
	if err == nil && sent.End != "" && end != sent.End {
		err = s.LogLost("differs from the part that was synced")
	}
	return err
}

// ErrVanished is wrapped by the error for a synced store that was removed before it was ever sent.
var ErrVanished = fault.New(nil, "", "a checkout, `git clean` or another program has removed the handoffs")

// checkVanished returns ErrVanished if a synced store has no handoffs and no events, although you made changes. The
// store of a linked work tree vanishes with its work tree, and begins again.
func (s *Store) checkVanished() error {
	hasJournal := func() bool { return IsThere(filepath.Join(s.Opt.StateDir, journal.FileName)) }
	if s.Opt.Git != disk.GitSynced || hasJournal() { // it tells what the files must have
		return nil
	}
	newest, err := s.Newest() // first: the files of a store that begins meanwhile are older than its number
	if err != nil || newest == 0 || hasJournal() {
		return passing(err)
	}
	d, err := s.OpenDirs()
	if err != nil {
		return passing(err) // other checks report any other error
	}
	defer d.Close()
	if begun, err := d.HasBegun(); err != nil || begun {
		return passing(err)
	}
	if main, err := git.Main(git.Top(s.Opt.Root)); err != nil || main != "" {
		return nil
	}
	return fault.Integrity(
		"restore both from a backup; to start over, run `"+s.StartOverCommand()+"`",
		"%s and %s have nothing, but you made change %d: %v", s.Opt.Dir, s.Opt.StateDir, newest, ErrVanished)
}

// LogLost returns the error for a damaged audit log. how says what is wrong with it.
func (s *Store) LogLost(how string) error {
	return fault.Integrity(
		"run `handoff doctor --repair`, which restores the synced part; to start over, `"+s.StartOverCommand()+
			"` begins a new log",
		"the audit log %s %s: a checkout, `git clean` or a backup has replaced it",
		filepath.Join(s.Opt.StateDir, disk.LogFile), how)
}

// sent returns how far the log was sent, the zero value if the store was never exchanged. If the record is
// unreadable, the refs of a writer in the repository of sync prove that something was sent.
func (s *Store) sent() (sent Sent, err error) {
	if !s.Opt.Git.IsShared() {
		return sent, nil
	}
	d, err := s.existingOutside()
	if err != nil {
		return sent, passing(err) // without a directory outside, nothing was sent
	}
	defer d.Close()
	text, err := d.ReadFile(disk.SyncState, maxSent)
	if passing(err) != nil {
		return sent, err
	}
	if err == nil && json.Unmarshal(text, &sent) == nil && sent.End != "" {
		return sent, nil
	}
	if sent = (Sent{}); hasOwnRef(d.Path()) {
		sent.Offset = 1 // something was sent
	}
	return sent, nil
}

const maxSent = 64 << 20 // bytes of sync.json, which lists the changes that could not be sent

// hasRefs reports whether the repository of sync has any ref of handoff.
func hasRefs(outside string) bool {
	repo := filepath.Join(outside, disk.SyncRepo)
	return IsThere(filepath.Join(repo, "packed-refs")) || IsThere(filepath.Join(repo, "refs", "handoff"))
}

// hasOwnRef reports whether the repository of sync has a ref of a writer of its own.
func hasOwnRef(outside string) bool {
	const own = "refs/handoff/writers/"
	repo := filepath.Join(outside, disk.SyncRepo)
	if all, err := os.ReadDir(filepath.Join(repo, own)); err == nil && len(all) > 0 {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(repo, "packed-refs"))
	return err == nil && bytes.Contains(packed, []byte(" "+own))
}
