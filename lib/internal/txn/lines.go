package txn

import (
	"io"
	"iter"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

// lines are what a change appends to the audit log. Those of a large batch lie in a file of the state
// directory, which has no name where the system can do without.
type lines struct {
	dir  *durable.Dir
	file *durable.Staged // nil while they are few
	ends []int           // of the pieces in the file, each of whole lines
	last []byte          // piece
}

// pieceSize is how much of the lines is in memory, about.
const pieceSize = 4 << 20

// add adds a line, with its newline.
func (l *lines) add(line []byte) (err error) {
	if len(l.last)+len(line) > pieceSize {
		if l.file == nil {
			if l.file, err = l.dir.BeginStage(nil, 0o600); err != nil {
				return err
			}
		}
		if _, err = l.file.Write(l.last); err != nil {
			return err
		}
		l.ends, l.last = append(l.ends, l.fileSize()+len(l.last)), l.last[:0]
	}
	l.last = append(l.last, line...)
	return nil
}

func (l *lines) fileSize() int {
	if len(l.ends) == 0 {
		return 0
	}
	return l.ends[len(l.ends)-1]
}

// discard gives the file up. There may be none.
func (l *lines) discard() {
	if l != nil && l.file != nil {
		l.file.Discard()
	}
}

// logSize is how much a change appends to the audit log.
func (i *Intent) logSize() int64 {
	if i.lines == nil {
		return int64(len(i.LogLines))
	}
	return int64(i.lines.fileSize() + len(i.lines.last))
}

// pieces returns what a change appends to the audit log in pieces of whole lines: at least one, which
// may be empty.
func (i *Intent) pieces() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		l := i.lines
		if l == nil {
			yield(i.LogLines, nil)
			return
		}
		begin := 0
		for _, end := range l.ends {
			piece := make([]byte, end-begin)
			_, err := io.ReadFull(io.NewSectionReader(l.file, int64(begin), int64(len(piece))), piece)
			if !yield(string(piece), err) {
				return
			}
			begin = end
		}
		yield(string(l.last), nil)
	}
}

// record puts what a change appends where it belongs in the audit log.
func (i *Intent) record(log *durable.Log) error {
	at := i.LogOffset
	for piece, err := range i.pieces() {
		if err == nil {
			err = log.Put(piece, at)
		}
		if err != nil {
			return err
		}
		at += int64(len(piece))
	}
	return nil
}
