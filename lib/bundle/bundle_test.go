package bundle_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/signature"
	"github.com/seed-78daf238/handoff/schema"
)

const at = "2026-05-07T12:00:00Z"

func id(n int) string { return fmt.Sprintf("sha256:%064x", n) }

func sample() (bundle.Header, []bundle.Line) {
	return bundle.Header{Format: bundle.Format, Created: at, Origin: bundle.Origin{Writer: "w-0123456789abcdef"}}, []bundle.Line{
		{Handoff: &bundle.Handoff{ID: id(1), Text: "---\n\u2028 \x01\"\\ é 😀\n", Signatures: []string{"a\n", "b"}}},
		{Handoff: &bundle.Handoff{ID: id(2), Text: ""}},
		{Read: &bundle.Read{ID: id(1), Operator: "ann", Time: at}},
		{Read: &bundle.Read{ID: id(1), Operator: "ben", Time: at}},
		{Read: &bundle.Read{ID: id(2), Operator: "ann", Time: at}},
		{Consumed: &bundle.Consumed{Token: "rt_0123456789", HandoffID: id(2), Operator: "ann", Time: at, Accepted: "OPERATIONAL", Reason: "it is known"}},
		{Consumed: &bundle.Consumed{Token: id(1), HandoffID: id(1), Operator: "ann", Time: at}},
	}
}

func print(t testing.TB, h bundle.Header, lines []bundle.Line) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := bundle.NewWriter(&b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if err := w.Put(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parse(text []byte) (h bundle.Header, lines []bundle.Line, err error) {
	r, err := bundle.NewReader(bytes.NewReader(text), "b", 1<<20)
	if err != nil {
		return h, nil, err
	}
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header, lines, nil
		}
		if err != nil {
			return r.Header, lines, err
		}
		l.Number = 0
		lines = append(lines, l)
	}
}

// What no import would take is refused while it is written, and not found out by whoever gets it.
func TestWriterRefusesWhatIsTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	h, _ := sample()
	w, err := bundle.NewWriter(io.Discard, h)
	text := strings.Repeat("a", 32<<20)
	for n := 0; err == nil && n < bundle.MaxBytes/len(text); n++ {
		err = w.Put(bundle.Line{Handoff: &bundle.Handoff{ID: id(n), Text: text}})
	}
	if !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(fmt.Sprint(err), "more than 268435456 bytes") {
		t.Errorf("bytes: %v", err)
	}
	w, err = bundle.NewWriter(io.Discard, h)
	for n := 0; err == nil && n < bundle.MaxLines-1; n++ {
		err = w.Put(bundle.Line{Handoff: &bundle.Handoff{ID: id(n)}})
	}
	if !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(fmt.Sprint(err), "more than 100000 lines") {
		t.Errorf("lines: %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	h, lines := sample()
	gotHeader, got, err := parse(print(t, h, lines))
	if diff := cmp.Diff(lines, got); err != nil || diff != "" || gotHeader != h {
		t.Errorf("%v %v\n%s", err, gotHeader, diff)
	}
}

// A bundle that is not as it was made is an integrity fault, whatever became of it.
func TestEveryCutAndFlippedByteIsFound(t *testing.T) {
	text := print(t, bundle.Header{Created: at}, []bundle.Line{
		{Handoff: &bundle.Handoff{ID: id(1), Text: "hello\n"}}, {Read: &bundle.Read{ID: id(1), Operator: "ann", Time: at}}})
	for n := range text {
		if _, _, err := parse(text[:n]); !errors.Is(err, handoff.ErrIntegrity) {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[n] ^= 1 << bit
			_, _, err := parse(flipped)
			if inFirst := n < len(`{"bundle":"handoff-bundle/1"`); err == nil || !inFirst && !errors.Is(err, handoff.ErrIntegrity) {
				t.Errorf("bit %d of byte %d flipped: %v", bit, n, err)
			}
		}
	}
}

// seal gives lines an end line that is true.
func seal(handoffs int, lines ...string) []byte {
	text := strings.Join(lines, "\n") + "\n"
	return fmt.Appendf(nil, "%s{\"end\":{\"handoffs\":%d,\"sha256\":\"%x\"}}\n", text, handoffs, sha256.Sum256([]byte(text)))
}

func TestWhatNoBundleSaysIsInvalid(t *testing.T) {
	head := `{"bundle":"handoff-bundle/1","created_utc":"` + at + `","origin":{}}`
	one, two := `{"handoff":"x","id":"`+id(1)+`"}`, `{"handoff":"y","id":"`+id(2)+`"}`
	used := `{"consumed":{%s"handoff_id":"` + id(1) + `","operator_id":"ann","token":"%s","ts_utc":"` + at + `"}}`
	read := `{"read":{"id":"` + id(1) + `","operator":"ann","ts_utc":"` + at + `"}}`
	good := fmt.Sprintf(used, "", "rt_0123456789")
	if _, lines, err := parse(seal(2, head, one, two, read, good)); err != nil || len(lines) != 4 {
		t.Fatal(lines, err)
	}
	for name, text := range map[string][]byte{
		"unknown kind":      seal(1, head, one, `{"note":"x"}`),
		"unknown key":       seal(1, head, `{"handoff":"x","id":"`+id(1)+`","path":"/etc/passwd"}`),
		"another case":      seal(1, head, `{"Handoff":"x","id":"`+id(1)+`"}`),
		"two kinds":         seal(1, head, one, strings.TrimSuffix(read, "}")+`,"x":1}`),
		"not canonical":     seal(1, head, strings.Replace(one, `:"x"`, `: "x"`, 1)),
		"escaped":           seal(1, head, strings.Replace(one, `"x"`, `"\u0078"`, 1)),
		"invalid UTF-8":     seal(1, head, strings.Replace(one, `"x"`, "\"\xff\"", 1)),
		"reordered":         seal(2, head, two, one),
		"doubled":           seal(2, head, one, one),
		"mark before":       seal(1, head, read, one),
		"mark of another":   seal(1, head, two, read),
		"mark twice":        seal(1, head, one, read, read),
		"no id":             seal(1, head, `{"handoff":"x","id":"../../etc"}`),
		"operator":          seal(1, head, one, strings.Replace(read, "ann", "a n", 1)),
		"time":              seal(1, head, one, strings.Replace(read, at, "now", 1)),
		"token":             seal(1, head, one, fmt.Sprintf(used, "", "x")),
		"a confirmation":    seal(1, head, one, fmt.Sprintf(used, `"confirmed_by":"ben",`, "rt_0123456789")),
		"mark and token":    seal(1, head, one, strings.TrimSuffix(good, "}")+`,`+strings.TrimPrefix(read, "{")),
		"two in a line":     seal(1, head, strings.TrimSuffix(one, "}")+`,`+strings.TrimPrefix(read, "{")),
		"a number":          seal(1, head, strings.TrimSuffix(one, "}")+`,"number":1}`),
		"empty signature":   seal(1, head, `{"handoff":"x","id":"`+id(1)+`","sigs":[""]}`),
		"no signatures":     seal(1, head, `{"handoff":"x","id":"`+id(1)+`","sigs":[]}`),
		"newer":             seal(0, strings.Replace(head, "bundle/1", "bundle/2", 1)),
		"writer":            seal(0, strings.Replace(head, "{}", `{"writer":"me"}`, 1)),
		"created":           seal(0, strings.Replace(head, at, "", 1)),
		"markdown":          []byte("---\nschema_version: '1.0'\n---\n"),
		"behind the end":    append(seal(0, head), "\n"...),
		"two bundles":       append(seal(0, head), seal(0, head)...),
		"a wrong count":     seal(0, head, one, read, `{"note":"x"}`),
		"a carriage return": seal(0, head+"\r"),
	} {
		if _, _, err := parse(text); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string][]byte{"count": seal(2, head, one), "end line alone": []byte("{\"end\":{}}\n")[:0]} {
		if _, _, err := parse(text); !errors.Is(err, handoff.ErrIntegrity) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What has more than a bundle may have ends early, and no more of it is held than a line.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	h, _ := sample()
	head := string(print(t, h, nil))
	head = head[:strings.Index(head, "\n")+1]
	for name, fill := range map[string]string{"one line": strings.Repeat("a", 1<<20), "empty lines": strings.Repeat("\n", 1<<20), "nothing": strings.Repeat("\x00", 1<<20)} {
		begin := head
		if name == "nothing" {
			begin = ""
		}
		parts := []io.Reader{strings.NewReader(begin)}
		for range 300 {
			parts = append(parts, strings.NewReader(fill))
		}
		count := &counting{Reader: io.MultiReader(parts...)}
		r, err := bundle.NewReader(count, "b", 1<<20)
		if err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, handoff.ErrInvalid) || count.n > 8<<20 {
			t.Errorf("%s: %v after %d bytes", name, err, count.n)
		}
	}
}

type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// FuzzReader: what is read whole is printed the same, and nothing else is read whole.
func FuzzReader(f *testing.F) {
	h, lines := sample()
	f.Add(print(f, h, lines))
	f.Add(print(f, bundle.Header{Created: at}, nil))
	f.Add(seal(0, "{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, lines, err := parse(text)
		if err != nil {
			if !errors.Is(err, handoff.ErrInvalid) && !errors.Is(err, handoff.ErrIntegrity) {
				t.Fatal(err)
			}
			return
		}
		if again := print(t, h, lines); !bytes.Equal(again, text) {
			t.Fatalf("read %q, printed %q", text, again)
		}
	})
}

func open(t testing.TB) *handoff.Store {
	t.Helper()
	root := t.TempDir()
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), Root: root, Rules: schema.Frontmatter(), VerifySignature: signature.Verify,
		Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func filled(t testing.TB, n int) *handoff.Store {
	t.Helper()
	s := open(t)
	sources := make([]handoff.Source, n)
	for i := range sources {
		sources[i].Fields = &handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: fmt.Sprintf("topic-%d", i), Time: at, Body: strings.Repeat("text of a handoff\n", 50)}
	}
	if _, err := s.WriteAll(context.Background(), sources); err != nil {
		t.Fatal(err)
	}
	return s
}

func export(t testing.TB, s *handoff.Store) []byte {
	t.Helper()
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := bundle.Export(s, entries, true, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is pruned while others read is left out, and nobody takes it for damage.
func TestPrunedWhileExported(t *testing.T) {
	s := filled(t, 3)
	listed, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := s.Load(listed[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range []handoff.Act{handoff.ActDone, handoff.ActArchive} {
		if _, err := s.Act(t.Context(), act, listed[1].ID, handoff.Consumption{Operator: "ben"}); err != nil {
			t.Fatal(err)
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(gone.Text))
	before, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune(t.Context(), "ben", listed[1:2], map[string]string{listed[1].ID: sum}, sum); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	counts, err := bundle.Export(s, before, true, &text)
	if _, lines, badErr := parse(text.Bytes()); err != nil || badErr != nil || counts.Handoffs != 2 || len(lines) != 2 {
		t.Errorf("%+v, %v, %v, %d lines", counts, err, badErr, len(lines))
	}
	if _, err := s.Load(listed[1]); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("it is loaded with %v", err)
	}
}

// The id of a line binds: a document that is another one is refused, and nothing of the bundle is stored.
func TestAnotherDocumentUnderAnID(t *testing.T) {
	h, lines, err := parse(export(t, filled(t, 3)))
	if err != nil {
		t.Fatal(err)
	}
	lines[1].Handoff.Text = strings.Replace(lines[2].Handoff.Text, "handoff_id: '"+lines[2].Handoff.ID+"'\n", "", 1)
	s := open(t)
	_, err = bundle.Import(context.Background(), s, bytes.NewReader(print(t, h, lines)), bundle.Options{Name: "b"})
	if mismatch := (*handoff.IDMismatchError)(nil); !errors.As(err, &mismatch) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(s.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was stored")
	}
}

// A file that changes after it was proven must not bring in what was not proven.
func TestBundleThatChanges(t *testing.T) {
	text := export(t, filled(t, 2))
	s := open(t)
	_, err := bundle.Import(context.Background(), s, &turncoat{bytes.NewReader(text), bytes.Replace(text, []byte("text of"), []byte("TEXT of"), 1)}, bundle.Options{Name: "b"})
	if !errors.Is(err, handoff.ErrIntegrity) {
		t.Error(err)
	}
	if entries, err := s.List(handoff.Filter{}); err != nil || len(entries) != 0 {
		t.Error(entries, err)
	}
}

type turncoat struct {
	*bytes.Reader
	then []byte
}

func (c *turncoat) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(c.then).ReadAt(p, at)
}

func BenchmarkImport(b *testing.B) {
	const n = 3000
	text := export(b, filled(b, n))
	for b.Loop() {
		b.StopTimer()
		s := open(b)
		b.StartTimer()
		if _, err := bundle.Import(context.Background(), s, bytes.NewReader(text), bundle.Options{Name: "b"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "handoffs/s")
}

func BenchmarkExport(b *testing.B) {
	const n = 3000
	s := filled(b, n)
	for b.Loop() {
		export(b, s)
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "handoffs/s")
}

func BenchmarkImportSigned(b *testing.B) {
	const n = 3000
	h, lines, err := parse(export(b, filled(b, n)))
	if err != nil {
		b.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	for _, l := range lines {
		made, signErr := sshsig.Sign(strings.NewReader(l.Handoff.Text), signer, sshsig.HashSHA512, handoff.SignatureNamespace)
		if err = errors.Join(err, signErr); err != nil {
			b.Fatal(err)
		}
		l.Handoff.Signatures = []string{string(sshsig.Armor(made))}
	}
	text := print(b, h, lines)
	for b.Loop() {
		b.StopTimer()
		s := open(b)
		b.StartTimer()
		if _, err := bundle.Import(context.Background(), s, bytes.NewReader(text), bundle.Options{Name: "b"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "handoffs/s")
}
