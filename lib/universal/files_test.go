package universal_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// with returns the minimal document with one text replaced.
func with(t failing, pointer, text string) *universal.Document {
	t.Helper()
	root, err := jsontree.Parse(load(t, "good/minimal.json"))
	if err != nil {
		t.Fatal(err)
	}
	i := strings.LastIndexByte(pointer, '/')
	root.At(pointer[:i]).Set(pointer[i+1:], jsontree.NewString(text))
	return mustParse(t, root.Append(nil))
}

func TestFileName(t *testing.T) {
	for source, want := range map[string]string{
		"skill-editor":      "skill-editor-to-report-writer-20260207T183000Z.json",
		"../../etc/passwd":  "etc-passwd-to-report-writer-20260207T183000Z.json",
		"..":                "unnamed-to-report-writer-20260207T183000Z.json",
		`C:\x\y`:            "C--x-y-to-report-writer-20260207T183000Z.json",
		"читатель":          "u447-u438-u442-u430-u442-u435-u43b-u44c-to-report-writer-20260207T183000Z.json",
		"調査員":               "u8abf-u67fb-u54e1-to-report-writer-20260207T183000Z.json",
		"🦊":                 "unnamed-to-report-writer-20260207T183000Z.json",
		"a\x00b\nc":         "a-b-c-to-report-writer-20260207T183000Z.json",
		"-rf":               "rf-to-report-writer-20260207T183000Z.json",
		"agent:codex/1.2.3": "agent-codex-1-2-3-to-report-writer-20260207T183000Z.json",
	} {
		if got := with(t, "/handoff/source/skill", source).FileName(); got != want {
			t.Errorf("%q gives %s, want %s", source, got, want)
		}
	}
	if got := with(t, "/handoff/timestamp", "../now").FileName(); got != "survey-reader-to-report-writer-undated.json" {
		t.Errorf("without a time: %s", got)
	}
}

func TestFileNameStaysInItsDirectory(t *testing.T) {
	safe := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*\.json$`)
	rapid.Check(t, func(t *rapid.T) {
		d := with(t, rapid.SampledFrom([]string{"/handoff/source/skill", "/handoff/target/skill", "/handoff/timestamp"}).Draw(t, "place"),
			rapid.OneOf(rapid.String(), rapid.StringMatching(`[./\\:~a-z]{0,80}`)).Draw(t, "text"))
		if name := d.FileName(); !safe.MatchString(name) || len(name) > 160 {
			t.Fatalf("name %q", name)
		}
	})
}

func TestSessionDir(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "sessions/17"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Dir(root)
	for session, want := range map[string]string{
		filepath.Join(root, "sessions/17"):       filepath.Join("sessions", "17", "handoffs"),
		filepath.Join(root, "new"):               filepath.Join("new", "handoffs"),
		root:                                     "handoffs",
		root + "/sessions/../../../etc":          "",
		outside:                                  "",
		root + "-beside":                         "",
		"sessions/17":                            "",
		"":                                       "",
		filepath.Join(root, "sessions") + "/17/": filepath.Join("sessions", "17", "handoffs"),
	} {
		got, err := with(t, "/handoff/source/session_path", session).SessionDir(root)
		if got != want || (want == "") != errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q gives %q, %v; want %q", session, got, err, want)
		}
	}
}
