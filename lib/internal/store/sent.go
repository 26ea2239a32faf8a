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
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Sent says how far the audit log was sent: what a checkout, `git clean` or a backup cannot take back.
type Sent struct {
	Writer string `json:"writer"`
	Offset int64  `json:"offset"` // in the audit log, behind the last event that was sent
	End    string `json:"end"`    // see EndOf
}

const maxEnd = 4 << 10

// EndOf returns the SHA-256 of the last bytes, 4,096 at most, of a log up to an offset.
func EndOf(log io.ReaderAt, offset int64) (string, error) {
	end := make([]byte, min(offset, maxEnd))
	if n, err := log.ReadAt(end, offset-int64(len(end))); n < len(end) {
		return "", err
	}
	return jsontree.SHA256Hex(end), nil
}

// CheckSent returns ErrIntegrity if the audit log is not what sync has sent of it, or more: it vanished,
// shrank, or is another one, although the writer is the same. It reads two small files.
func (s *Store) CheckSent() error {
	sent, err := s.sent()
	if err != nil || sent.Offset == 0 {
		return err
	}
	state, err := s.OpenPlace(s.Opt.StateDir)
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
		return passing(err) // others say any other
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return err
	}
	if info.Size() < sent.Offset {
		return s.LogLost("is shorter than what sync has sent of it")
	}
	end, err := EndOf(log, sent.Offset)
	if err == nil && sent.End != "" && end != sent.End {
		err = s.LogLost("is not the one that sync has sent")
	}
	return err
}

// LogLost says that the audit log is not what it was.
func (s *Store) LogLost(how string) error {
	return fault.New(fault.ErrIntegrity,
		"run `handoff doctor --repair`: it brings back what was sent; to go without it, `"+s.RegenerateCommand()+
			"` begins a new log",
		"the audit log %s %s: a checkout, `git clean` or a backup has replaced it",
		filepath.Join(s.Opt.StateDir, disk.LogFile), how)
}

// sent returns how far the log was sent, the zero value for a store that was never exchanged. Where that
// cannot be read any more, something was sent if the repository of sync has refs of a writer here.
func (s *Store) sent() (sent Sent, err error) {
	if !s.Opt.Git.IsShared() {
		return sent, nil
	}
	path, err := s.OutsidePath()
	if err != nil {
		return sent, passing(err) // without a place outside nothing was sent
	}
	d, err := disk.OpenDir(path)
	if err != nil {
		return sent, passing(err)
	}
	defer d.Close()
	text, err := d.ReadFile(disk.SyncState, maxSent)
	if passing(err) != nil {
		return sent, err
	}
	if err == nil && json.Unmarshal(text, &sent) == nil && sent.End != "" {
		return sent, nil
	}
	if sent = (Sent{}); hasOwnRef(path) {
		sent.Offset = 1 // there was something
	}
	return sent, nil
}

const maxSent = 64 << 20 // bytes of sync.json: it lists what could not be sent

// hasRefs reports whether the repository of sync has refs at all.
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
