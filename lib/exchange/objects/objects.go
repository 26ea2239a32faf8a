// Package objects reads and writes what replicas publish in an object store. Package exchange judges it.
//
// Objects are created once, except for the heads, which only their writers replace:
//
//	handoffs/<64 hex>.md          a handoff, under the digits of its id
//	log/w-<16 hex>/<10 digits>    a part of the log of a writer: a [Header] with the SHA-256 of the part before, and
//	                              [Line]s. Each ends with a line feed
//	heads/w-<16 hex>              how many parts there are, and the SHA-256 of the last one: a [Head]
//	claims/<64 hex>               a claim; the one that replaces it ends in .moved
//
// A list of the heads tells what is new, however many handoffs there are. A head may be behind its log. Other objects
// are ignored.
package objects

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Store is an object store with conditional writes. Package bucket has one. Its errors are complete sentences with
// what to do.
type Store interface {
	// Prove returns an error unless the store keeps the first of two objects that are created with one name.
	Prove(context.Context) error
	// Create creates an object. It returns false if there is one with another body.
	Create(ctx context.Context, name string, body []byte) (bool, error)
	// Get returns an object of at most limit bytes. The error is fs.ErrNotExist if it does not exist, and
	// ErrIntegrity if it is larger.
	Get(ctx context.Context, name string, limit int64) ([]byte, error)
	// List returns at most limit objects whose names begin with dir, after a name, in the order of their bytes; lists
	// without that order are an error.
	List(ctx context.Context, dir, after string, limit int) (objects []Object, more bool, err error)
	// Replace creates or replaces an object that has one writer.
	Replace(ctx context.Context, name string, body []byte) error
}

// An Object is an entry of a list of objects.
type Object struct{ Name, ETag string }

// Moved follows the name of a claim that replaces another one.
const Moved = ".moved"

const (
	headFormat = "handoff-head/1"
	partFormat = "handoff-log/1"
)

// The maximum sizes of objects, in bytes. A part is finished when it reaches fullPart.
const (
	MaxPart  = 16 << 20
	maxHead  = 4 << 10
	fullPart = 4 << 20
)

// MaxWriters is the maximum number of writers at a remote.
const MaxWriters = 10_000

// PartName returns the name of the n-th part of a log.
func PartName(writer string, n int) string { return fmt.Sprintf("log/%s/%010d", writer, n) }

// HeadName returns the name of the head of a log.
func HeadName(writer string) string { return heads + writer }

// DocumentName returns the name of the object of a handoff.
func DocumentName(id string) string {
	return "handoffs/" + strings.TrimPrefix(id, form.IDPrefix) + ".md"
}

// ClaimName returns the name of the object of a claim.
func ClaimName(name string) string { return "claims/" + name }

const heads = "heads/"

// A Head says how long a log is.
type Head struct {
	Format string `json:"format"`
	Writer string `json:"writer"`
	Number int    `json:"number"` // of the last part
	Log    string `json:"log"`    // its SHA-256
}

// Bytes returns the object of the head of a writer.
func (h Head) Bytes(writer string) []byte {
	h.Format, h.Writer = headFormat, writer
	text, _ := json.Marshal(h) // never fails
	return append(text, '\n')
}

// ReadHead returns the head of a writer, the zero value for a writer without a log. why says what is wrong with it.
func ReadHead(ctx context.Context, s Store, writer string) (h Head, why string, err error) {
	text, err := s.Get(ctx, HeadName(writer), maxHead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h, "", nil
	case err != nil && IsBad(err):
		return h, Problem(HeadName(writer), err), nil
	case err != nil:
		return h, "", err
	}
	if json.Unmarshal(text, &h) != nil || h.Format != headFormat || h.Writer != writer || h.Number < 1 ||
		!form.IsDigest(h.Log) {
		return Head{}, HeadName(writer) + " is not the head of its log", nil
	}
	return h, "", nil
}

// Heads returns the ETags of the heads of all writers. It reads a limited number of objects.
func Heads(ctx context.Context, s Store) (map[string]string, error) {
	const page, most = 1000, MaxWriters + MaxWriters/2
	found, after := make(map[string]string), ""
	for n := page; ; n += page {
		all, more, err := s.List(ctx, heads, after, page)
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			after = o.Name
			if writer, ok := strings.CutPrefix(o.Name, heads); ok && form.IsWriter(writer) && o.ETag != "" {
				found[writer] = o.ETag
			}
		}
		if !more || len(all) == 0 {
			break
		}
		if n >= most {
			return nil, fault.Config(
				"use another prefix in the URL, or remove what is not of handoff, and the heads of unused writers",
				"the object store has more than %d objects below %s", most, heads)
		}
	}
	if len(found) > MaxWriters {
		return nil, fault.Config("remove the heads of unused writers there, or use another prefix in the URL",
			"the object store has %d writers, and at most %d are read", len(found), MaxWriters)
	}
	return found, nil
}

// A Header is the first line of a part.
type Header struct {
	Format   string `json:"format"`
	Writer   string `json:"writer"`
	Number   int    `json:"number"`
	Previous string `json:"previous"` // the SHA-256 of the part before, "" for the first one
	Events   int    `json:"events"`   // how many events of the audit log are published so far
	Hash     string `json:"hash"`     // the hash of the last of them
}

// A Line is any other line of a part. It has one of the fields, or a handoff with its signature.
type Line struct {
	Handoff   string          `json:"handoff,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Claim     string          `json:"claim,omitempty"`   // the name of a claim that the remote has granted
	Granted   string          `json:"granted,omitempty"` // the SHA-256 of that claim
	Event     json.RawMessage `json:"event,omitempty"`   // a line of the audit log
}

// ParsePart parses a part that must continue the one before. why says what is wrong with it.
func ParsePart(text []byte, writer string, number int, previous string) (h Header, all []Line, why string) {
	name := PartName(writer, number)
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if json.Unmarshal(first, &h) != nil || h.Format != partFormat || h.Writer != writer || h.Number != number {
		return h, nil, name + " is not a part of its log"
	}
	if h.Previous != previous {
		return h, nil, name + " does not continue the log, which was rewritten"
	}
	for line := range bytes.Lines(rest) {
		var l Line
		isWhole := bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &l) == nil
		if !isWhole || l.Handoff != "" && !form.IsID(l.Handoff) ||
			l.Claim != "" && !(form.IsDigest(l.Claim) && form.IsDigest(l.Granted)) {
			return h, nil, name + " was cut or changed"
		}
		all = append(all, l)
	}
	return h, all, ""
}

// A Log makes the parts of a log.
type Log struct {
	Writer string
	Head   Head   // the number and the SHA-256 of the last part, which parts so far move forward
	Events int    // see Header
	Hash   string // see Header
	Parts  [][]byte

	lines bytes.Buffer
	err   error
}

// Add adds a line. A full part is finished.
func (w *Log) Add(l Line) {
	encoder := json.NewEncoder(&w.lines)
	encoder.SetEscapeHTML(false) // an event must keep its bytes
	w.err = cmp.Or(w.err, encoder.Encode(l))
	if w.lines.Len() >= fullPart {
		w.finish()
	}
}

// Close finishes the last part. If it has no lines, it is left out.
func (w *Log) Close() error {
	if w.lines.Len() > 0 {
		w.finish()
	}
	return w.err
}

func (w *Log) finish() {
	header, err := json.Marshal(Header{Format: partFormat, Writer: w.Writer, Number: w.Head.Number + 1,
		Previous: w.Head.Log, Events: w.Events, Hash: w.Hash})
	w.err = cmp.Or(w.err, err)
	text := slices.Concat(header, []byte("\n"), w.lines.Bytes())
	w.lines.Reset()
	w.Parts = append(w.Parts, text)
	w.Head.Number, w.Head.Log = w.Head.Number+1, jsontree.SHA256Hex(text)
}

// A Reader reads the logs of a store, and keeps their parts in a directory.
type Reader struct {
	Store
	Keep *disk.Dir
	Most int64 // the number of bytes that are read of a log
}

// partsAtOnce is the number of parts that are read at once. A head can name more than there are.
const partsAtOnce = 64

// ReadLog returns the lines of a log after a head that was read before. why says what is wrong with the rest.
func (r Reader) ReadLog(ctx context.Context, before, now Head) (lines []Line, why string, err error) {
	number, log, size := before.Number, before.Log, int64(0)
	for number < now.Number {
		texts, whys, err := r.parts(ctx, now.Writer, number+1, min(partsAtOnce, now.Number-number))
		if err != nil {
			return nil, "", err
		}
		for i, text := range texts {
			if whys[i] != "" {
				return nil, whys[i], nil
			}
			number++
			_, some, why := ParsePart(text, now.Writer, number, log)
			if size += int64(len(text)); why == "" && size > r.Most {
				why = "it has published more at once than is read"
			}
			if why != "" {
				return nil, why, nil
			}
			log, lines = jsontree.SHA256Hex(text), append(lines, some...)
			if err := r.Add(now.Writer, number, text); err != nil {
				return nil, "", err
			}
		}
	}
	if log != now.Log {
		return nil, PartName(now.Writer, now.Number) + " is not what " + HeadName(now.Writer) + " names", nil
	}
	return lines, "", nil
}

// parts returns some parts of a log, and what is wrong with each.
func (r Reader) parts(ctx context.Context, writer string, from, n int) (texts [][]byte, whys []string, err error) {
	texts, whys = make([][]byte, n), make([]string, n)
	err = Each(n, func(i int) (err error) {
		name := PartName(writer, from+i)
		if texts[i], err = r.Get(ctx, name, MaxPart); err != nil && IsBad(err) {
			whys[i], err = Problem(name, err), nil
		}
		return err
	})
	return texts, whys, err
}

// A keptPart is a line of the file in which the parts of a writer are kept.
type keptPart struct {
	Number int
	Log    string // its SHA-256
	Text   []byte
}

// Add keeps a part of a log.
func (r Reader) Add(writer string, number int, text []byte) error {
	line, err := json.Marshal(keptPart{number, jsontree.SHA256Hex(text), text})
	if err != nil {
		return err
	}
	// the first line feed ends what an interrupted Add left
	return r.Keep.Extend(writer, slices.Concat([]byte("\n"), line, []byte("\n")), false)
}

// Kept returns the parts of a log that were kept, after a head up to a number. The error is fs.ErrNotExist if one of
// them is missing or damaged.
func (r Reader) Kept(writer string, after Head, last int) (parts [][]byte, err error) {
	all, err := r.Keep.ReadFile(writer, 2*r.Most) // base64 is longer
	found := make(map[int][]byte)
	for line := range bytes.Lines(all) {
		var p keptPart
		if json.Unmarshal(line, &p) == nil && jsontree.SHA256Hex(p.Text) == p.Log {
			found[p.Number] = p.Text
		}
	}
	for number, log := after.Number+1, after.Log; err == nil && number <= last; number++ {
		if _, _, why := ParsePart(found[number], writer, number, log); why != "" {
			err = fmt.Errorf("%s is damaged here: %w", PartName(writer, number), fs.ErrNotExist)
		}
		log, parts = jsontree.SHA256Hex(found[number]), append(parts, found[number])
	}
	return parts, err
}

// requestsAtOnce is the number of requests that wait for the object store together.
const requestsAtOnce = 16

// Each calls do for 0 … n-1, some at once, until one fails, and returns the first error: others have the same cause.
func Each(n int, do func(int) error) error {
	var wg sync.WaitGroup
	slots, errs := make(chan struct{}, requestsAtOnce), make(chan error, n)
	for i := 0; i < n && len(errs) == 0; i++ {
		slots <- struct{}{}
		wg.Go(func() {
			if err := do(i); err != nil {
				errs <- err
			}
			<-slots
		})
	}
	wg.Wait()
	close(errs)
	return <-errs // nil if no call failed
}

// IsBad reports whether an error is about an object, not about the connection.
func IsBad(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fault.ErrIntegrity)
}

// Problem says what is wrong with an object.
func Problem(name string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return name + " is missing"
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return name + ": " + line
}
