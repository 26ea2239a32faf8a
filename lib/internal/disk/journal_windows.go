package disk

import "os"

// SyncData returns ErrUnsupported.
func SyncData(*os.File) error { return ErrUnsupported }

// OpenSoleForWriting returns ErrUnsupported.
func (d *Dir) OpenSoleForWriting(string) (*os.File, error) { return nil, ErrUnsupported }

// OpenOrCreate returns ErrUnsupported.
func (d *Dir) OpenOrCreate(string) (*os.File, bool, error) {
	return nil, false, ErrUnsupported
}

// CreateLocked returns ErrUnsupported.
func (d *Dir) CreateLocked(string) (*os.File, error) { return nil, ErrUnsupported }

// RemoveUnlocked returns ErrUnsupported.
func (d *Dir) RemoveUnlocked(func(string) bool) ([]string, error) { return nil, ErrUnsupported }

// RenameOver returns ErrUnsupported.
func (d *Dir) RenameOver(string, string) error { return ErrUnsupported }

// Exchange returns ErrUnsupported.
func (d *Dir) Exchange(string, string) error { return ErrUnsupported }

// SyncFile returns ErrUnsupported.
func (d *Dir) SyncFile(string) error { return ErrUnsupported }

// A Prepared text cannot exist on this system.
type Prepared = Staged

// Prepare returns ErrUnsupported.
func (d *Dir) Prepare(string, []byte, os.FileMode) (*Prepared, error) { return nil, ErrUnsupported }

// Place returns ErrUnsupported.
func (s *Staged) Place(string) error { return ErrUnsupported }

// Put returns ErrUnsupported.
func (d *Dir) Put(string, []byte) error { return ErrUnsupported }

// PutAt returns ErrUnsupported.
func (l *Log) PutAt([]byte, int64) error { return ErrUnsupported }

// Link returns ErrUnsupported.
func (s *Staged) Link(string) error { return ErrUnsupported }
