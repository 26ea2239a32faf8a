package txn

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// intentStart is what comes before the intent in its file, and seal what comes behind it.
const intentStart = `{"version":2,"intent":`

func seal(mac hash.Hash) string { return fmt.Sprintf(`,"hmac":"%x"}`+"\n", mac.Sum(nil)) }

// An olderIntent is a file of the first version, which has a checksum only. That guards against damage
// alone, and is taken from stores that had no secret yet.
type olderIntent struct {
	Version int             `json:"version"`
	Intent  json.RawMessage `json:"intent"`
	SHA256  string          `json:"sha256"`
}

// ReadIntent returns the intent of an interrupted change, nil if there is none.
func ReadIntent(d *durable.Dir, key Key) (*Intent, error) {
	path := filepath.Join(d.Path(), layout.Intent)
	f, err := d.Open(layout.Intent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, store.Odd(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() > layout.MaxIntent {
		err = fmt.Errorf("%s: %w: more than the %d bytes that are read", path, durable.ErrTooLarge, layout.MaxIntent)
	}
	if err != nil {
		return nil, store.Odd(path, err)
	}
	defer sparing(info.Size())()
	intent, err := parseIntent(f, info.Size(), key)
	if errors.Is(err, ErrIntent) {
		err = &fault.CorruptError{File: path, Why: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	return &intent, nil
}

// ParseIntent is the inverse of Print. Any difference, down to a byte, and another key is ErrIntent.
func ParseIntent(file []byte, key Key) (Intent, error) {
	return parseIntent(bytes.NewReader(file), int64(len(file)), key)
}

// parseIntent reads the file once, and holds no more of it than the intent: that of a large batch has
// 100 MB. What was read counts once its seal is found to be right.
func parseIntent(file io.Reader, size int64, key Key) (i Intent, err error) {
	from := &source{Reader: file}
	defer func() {
		if err != nil {
			i = Intent{}
		}
		if from.err != nil {
			err = from.err
		}
	}()
	in, mac := bufio.NewReaderSize(from, 64<<10), key.mac()
	if start, _ := in.Peek(len(intentStart)); string(start) != intentStart {
		return parseOlder(in, key)
	}
	_, _ = in.Discard(len(intentStart)) // which are there
	sealed := &io.LimitedReader{R: in, N: size - int64(len(intentStart)+len(seal(mac)))}
	if err := i.decode(io.TeeReader(sealed, mac), &sealed.N); err != nil {
		return i, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	end, _ := io.ReadAll(io.LimitReader(in, int64(len(seal(mac))+1)))
	if len(key.secret) == 0 || !hmac.Equal(end, []byte(seal(mac))) {
		return i, errNotOurs()
	}
	return i, nil
}

func errNotOurs() error {
	return fmt.Errorf("%w, or was not made with this state directory", ErrIntent)
}

// A source keeps what the system said of a file that cannot be read: that is no damage.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (n int, err error) {
	if n, err = s.Reader.Read(p); err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func parseOlder(in io.Reader, key Key) (i Intent, err error) {
	text, err := io.ReadAll(in)
	var s olderIntent
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return i, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	if s.Version != 1 || !key.older || canon.SHA256Hex(s.Intent) != s.SHA256 {
		return i, errNotOurs()
	}
	if err := json.Unmarshal(s.Intent, &i); err != nil {
		return i, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	return i, nil
}

// decode reads what Print writes, the lines last. left is how much is not read yet.
func (i *Intent) decode(from io.Reader, left *int64) error {
	d := json.NewDecoder(from)
	if err := expect(d, json.Delim('{')); err != nil {
		return err
	}
	for {
		token, err := d.Token()
		name, isName := token.(string)
		switch {
		case err != nil:
			return err
		case !isName:
			return errors.New("it has no lines for the audit log")
		case name == "log_lines":
			i.LogLines, err = readLines(io.MultiReader(d.Buffered(), from), *left)
			return err
		case name == "bodies":
			err = i.decodeBodies(d)
		default:
			var value json.RawMessage
			if err = d.Decode(&value); err == nil {
				err = json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", name, value), i)
			}
		}
		if err != nil {
			return err
		}
	}
}

// decodeBodies reads the bodies one by one.
func (i *Intent) decodeBodies(d *json.Decoder) error {
	if err := expect(d, json.Delim('[')); err != nil {
		return err
	}
	for d.More() {
		var b Body
		if err := d.Decode(&b); err != nil {
			return err
		}
		if b.File == b.Row.File && b.ID == b.Row.ID { // one text for both
			b.File, b.ID = b.Row.File, b.Row.ID
		}
		i.Bodies = append(i.Bodies, b)
	}
	return expect(d, json.Delim(']'))
}

// sparing has the process hold less memory while it deals with so many bytes, if that is much: most of
// what it takes to parse them is garbage soon. It returns what ends that.
func sparing(size int64) func() {
	const much, most = 16 << 20, 208 << 20
	if size < much {
		return func() {}
	}
	before := debug.SetMemoryLimit(-1) // asks
	debug.SetMemoryLimit(min(before, most))
	return func() {
		runtime.GC() // else all of it counts when the next collection is due
		debug.SetMemoryLimit(before)
	}
}

func expect(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err == nil && token != want {
		err = fmt.Errorf("it has %v in the place of %v", token, want)
	}
	return err
}

// readLines reads a string and the end of its object, the string in pieces of whole lines: at once it
// would be held three times.
func readLines(from io.Reader, size int64) (string, error) {
	in := bufio.NewReaderSize(from, 64<<10)
	if start, _ := in.Peek(2); string(start) != `:"` {
		return "", errors.New("its lines are not a text")
	}
	_, _ = in.Discard(2)
	var lines strings.Builder
	lines.Grow(int(max(size, 0)))
	piece := []byte{'"'}
	for isEscaped := false; ; {
		c, err := in.ReadByte()
		if err != nil {
			return "", err
		}
		piece = append(piece, c)
		isEnd := c == '"' && !isEscaped
		isLine := c == 'n' && isEscaped
		isEscaped = c == '\\' && !isEscaped
		if !isEnd && !(isLine && len(piece) > 64<<10) {
			continue
		}
		if !isEnd {
			piece = append(piece, '"')
		}
		var text string
		if err := json.Unmarshal(piece, &text); err != nil {
			return "", err
		}
		lines.WriteString(text)
		if piece = piece[:1]; isEnd {
			rest, err := io.ReadAll(in)
			if err == nil && string(rest) != "}" {
				err = errors.New("something follows its lines")
			}
			return lines.String(), err
		}
	}
}
