package objects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

const writer = "w-0123456789abcdef"

// memory is an object store whose lists have at most two objects.
type memory map[string]string

func (m memory) Prove(context.Context) error { return nil }

func (m memory) Create(_ context.Context, name string, body []byte) (bool, error) {
	if old, is := m[name]; is {
		return old == string(body), nil
	}
	m[name] = string(body)
	return true, nil
}

func (m memory) Get(_ context.Context, name string, limit int64) ([]byte, error) {
	if text, is := m[name]; is {
		return []byte(text[:min(len(text), int(limit))]), nil
	}
	return nil, fs.ErrNotExist
}

func (m memory) List(_ context.Context, dir, after string, limit int) (all []objects.Object, more bool, err error) {
	for name := range m {
		if strings.HasPrefix(name, dir) && name > after {
			all = append(all, objects.Object{Name: name, ETag: "e" + m[name]})
		}
	}
	slices.SortFunc(all, func(a, b objects.Object) int { return strings.Compare(a.Name, b.Name) })
	more = len(all) > 2
	return all[:min(len(all), 2, limit)], more, nil
}

func (m memory) Replace(_ context.Context, name string, body []byte) error {
	m[name] = string(body)
	return nil
}

// published returns a store with a log of parts, each with one line, and its head.
func published(t *testing.T, parts int) (memory, objects.Head) {
	t.Helper()
	m, log := memory{}, objects.Log{Writer: writer}
	for n := range parts {
		log.Events = n + 1
		log.Add(objects.Line{Event: []byte(fmt.Sprintf(`{"n":"<%d>"}`, n))})
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range log.Parts {
		m[objects.PartName(writer, i+1)] = string(text)
	}
	m[objects.HeadName(writer)] = string(log.Head.Bytes(writer))
	log.Head.Writer = writer
	return m, log.Head
}

func reader(t *testing.T, m memory) objects.Reader {
	t.Helper()
	d, err := disk.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return objects.Reader{Store: m, Keep: d, Most: 1 << 20}
}

// What a log makes is read again, from the beginning or from a head that was read before, byte for byte.
func TestALogIsReadAgain(t *testing.T) {
	m, head := published(t, 5)
	got, why, err := objects.ReadHead(t.Context(), m, writer)
	if why != "" || err != nil || got.Number != 5 || got.Log != head.Log {
		t.Fatalf("%+v, %q, %v", got, why, err)
	}
	r := reader(t, m)
	lines, why, err := r.ReadLog(t.Context(), objects.Head{}, got)
	if len(lines) != 5 || why != "" || err != nil || string(lines[4].Event) != `{"n":"<4>"}` {
		t.Errorf("%+v, %q, %v", lines, why, err)
	}
	_, _, why = objects.ParsePart([]byte(m[objects.PartName(writer, 1)]), writer, 1, "")
	if why != "" {
		t.Error(why)
	}
	kept, err := r.Kept(writer, objects.Head{}, 5)
	if err != nil || len(kept) != 5 || string(kept[2]) != m[objects.PartName(writer, 3)] {
		t.Errorf("%q, %v", kept, err)
	}
}

// Whatever byte of a part is changed: it is not taken for the part that its log continues.
func TestAChangedPartIsNamed(t *testing.T) {
	m, head := published(t, 3)
	name := objects.PartName(writer, 2)
	whole := m[name]
	for i := range len(whole) {
		m[name] = whole[:i] + string(whole[i]^1) + whole[i+1:]
		if _, why, err := reader(t, m).ReadLog(t.Context(), objects.Head{}, head); !strings.Contains(why, "log/"+writer) || err != nil {
			t.Errorf("byte %d: %q, %v", i, why, err)
		}
		m[name] = whole[:i]
		if _, why, err := reader(t, m).ReadLog(t.Context(), objects.Head{}, head); !strings.Contains(why, "log/"+writer) || err != nil {
			t.Errorf("cut at byte %d: %q, %v", i, why, err)
		}
	}
}

// A part that is damaged here is missing; those around it are not.
func TestKeptPartsAreProven(t *testing.T) {
	m, head := published(t, 3)
	r := reader(t, m)
	if _, why, err := r.ReadLog(t.Context(), objects.Head{}, head); why != "" || err != nil {
		t.Fatal(why, err)
	}
	path := filepath.Join(r.Keep.Path(), writer)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte(`"Text":"`)) // and base64
	lines[2][20] ^= 3
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Kept(writer, objects.Head{}, 3); err == nil || !strings.Contains(err.Error(), objects.PartName(writer, 2)) {
		t.Error(err)
	}
	if kept, err := r.Kept(writer, objects.Head{}, 1); err != nil || len(kept) != 1 {
		t.Error(kept, err)
	}
}

// Heads are those of writers alone, over as many lists as there are.
func TestHeads(t *testing.T) {
	m := memory{"heads/README": "x", "heads/w-xyz": "x", "log/" + writer: "x"}
	for n := range 7 {
		m[fmt.Sprintf("heads/w-%016x", n)] = fmt.Sprint(n)
	}
	heads, err := objects.Heads(t.Context(), m)
	if err != nil || len(heads) != 7 || heads["w-0000000000000006"] != "e6" {
		t.Error(heads, err)
	}
	for text, want := range map[string]string{"{}": "is not the head", "x": "is not the head",
		string(objects.Head{Number: 1, Log: strings.Repeat("a", 64)}.Bytes("w-0000000000000001")): "is not the head"} {
		m[objects.HeadName(writer)] = text
		if _, why, err := objects.ReadHead(t.Context(), m, writer); !strings.Contains(why, want) || err != nil {
			t.Errorf("%q: %q, %v", text, why, err)
		}
	}
	if h, why, err := objects.ReadHead(t.Context(), m, "w-00000000000000ff"); h.Number != 0 || why != "" || err != nil {
		t.Error(h, why, err)
	}
}

// A failure has the same cause for all: without permission or network, one is enough, and nothing more is asked.
func TestEachEnds(t *testing.T) {
	var asked atomic.Int32
	err := objects.Each(10_000, func(i int) error {
		if asked.Add(1); i >= 100 {
			return errors.New("no permission to write")
		}
		return nil
	})
	if err == nil || err.Error() != "no permission to write" {
		t.Errorf("the error is %v", err)
	}
	if n := asked.Load(); n < 101 || n > 200 {
		t.Errorf("it asked %d times", n)
	}
	if err := objects.Each(100, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
}
