// Package bundle reads and writes bundles: batches in files, for clones without a common remote.
//
// A bundle is lines of JSON, each of which ends with a line feed:
//
//	{"handoff-batch":1,"audit":"<count:hash>"}          the head: where the audit log of the sender was
//	{"event_type":"handoff.document","payload":{…}}     the lines of events, in RFC 8785 form
//	{"end":{"events":1,"sha256":"<64 digits>"}}         their number, and the SHA-256 of all bytes before
//
// Without the last line it is a batch, as clones exchange them through a remote. It can be compressed with gzip. It has
// at most 256 MiB (not compressed) and 100,000 events, a line at most 1 MiB + 64 KiB. So every cut and every changed
// byte is found. That does not prove who wrote it.
package bundle

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Most is the number of bytes that a bundle can have, before it is compressed.
const Most = 256 << 20

const mostEvents = 100_000

// Write writes a batch as a bundle, and compresses it if zip is set. A batch that is too large for a bundle is a
// fault.ErrInvalid.
func Write(w io.Writer, batch []byte, zip bool) error {
	events := bytes.Count(batch, []byte("\n")) - 1
	if events > mostEvents || len(batch) > Most {
		return tooLarge()
	}
	to := io.WriteCloser(open{w})
	if zip {
		to = gzip.NewWriter(w)
	}
	_, err := to.Write(batch)
	if err == nil {
		_, err = io.WriteString(to, endOf(events, sha256.Sum256(batch)))
	}
	return errors.Join(err, to.Close())
}

// open is a writer that stays open.
type open struct{ io.Writer }

// Close does nothing.
func (open) Close() error { return nil }

func endOf(events int, sum [sha256.Size]byte) string {
	return fmt.Sprintf("{\"end\":{\"events\":%d,\"sha256\":\"%x\"}}\n", events, sum)
}

func tooLarge() error {
	return fault.Invalid("export fewer handoffs at a time, as with `handoff export --since 7d`",
		"a bundle has at most %d MiB and %d events", Most>>20, mostEvents)
}

func damaged(why string) error {
	return fault.Integrity("get it again, or export it again", "the bundle is damaged: %s", fault.Own(why))
}

// Read returns the lines of a bundle between its head and its end, each with its line feed, once all of it is proven. A
// bundle that is cut or changed is a fault.ErrIntegrity, and text that is no bundle or is too large a fault.ErrInvalid.
// Whether the lines are events is not known yet.
func Read(r io.Reader) ([][]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, Most+1))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err == nil {
			text, err = io.ReadAll(io.LimitReader(z, Most+1))
		}
		if err != nil {
			return nil, damaged(err.Error())
		}
	}
	if len(text) > Most {
		return nil, tooLarge()
	}
	last := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	batch, end := text[:last], string(text[last:])
	events := bytes.Count(batch, []byte("\n")) - 1
	switch {
	case end == endOf(events, sha256.Sum256(batch)):
		return linesOf(batch, events)
	case !bytes.HasPrefix(text, []byte(`{"handoff-batch":`)):
		return nil, fault.Invalid("to make one: `handoff export -o FILE`; to store documents: "+
			"`handoff write FILE --to NAME`", "this is no bundle")
	case strings.HasPrefix(end, `{"end":`):
		return nil, damaged("its bytes have changed")
	}
	return nil, damaged("its end is missing")
}

// linesOf returns the lines of a batch that is what was written.
func linesOf(batch []byte, events int) ([][]byte, error) {
	if events > mostEvents {
		return nil, tooLarge()
	}
	var head struct {
		Version int `json:"handoff-batch"`
	}
	lines := bytes.SplitAfter(batch, []byte("\n"))
	if err := json.Unmarshal(lines[0], &head); err != nil || head.Version != 1 {
		return nil, fault.Invalid("update handoff", "the bundle has another format: %s", fault.Quote(string(lines[0])))
	}
	return lines[1 : events+1], nil
}
