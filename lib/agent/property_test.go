//go:build unix

package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A writer writes JSON as somebody might have: with any space, any escapes, any digits.
type writer struct {
	*rapid.T
	out     strings.Builder
	eol     string
	unit    string
	oneLine bool
	odd     bool // space as it comes
}

func newWriter(t *rapid.T) *writer {
	return &writer{
		T: t, eol: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol"),
		unit:    rapid.SampledFrom([]string{"  ", "    ", "\t", "   ", " ", ""}).Draw(t, "unit"),
		oneLine: rapid.IntRange(0, 4).Draw(t, "oneLine") == 0, odd: rapid.IntRange(0, 3).Draw(t, "odd") == 0,
	}
}

func (w *writer) space() string {
	return rapid.SampledFrom([]string{"", " ", "  ", "\t", w.eol, w.eol + w.eol, w.eol + "   ", " " + w.eol}).Draw(w.T, "space")
}

func (w *writer) newline(depth int) {
	switch {
	case w.odd:
		w.out.WriteString(w.space())
	case !w.oneLine:
		w.out.WriteString(w.eol + strings.Repeat(w.unit, depth))
	}
}

// list writes n elements within brackets.
func (w *writer) list(brackets string, n, depth int, element func(i int)) {
	w.out.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.newline(depth + 1)
		element(i)
	}
	if n > 0 || rapid.IntRange(0, 3).Draw(w.T, "loose") == 0 {
		w.newline(depth)
	}
	w.out.WriteByte(brackets[1])
}

func (w *writer) object(depth int, members ...func(depth int)) {
	w.list("{}", len(members), depth, func(i int) { members[i](depth + 1) })
}

func (w *writer) key(key string, value func(depth int)) func(int) {
	return func(depth int) {
		text := string(must(json.Marshal(key)))
		if rapid.IntRange(0, 5).Draw(w.T, "escaped") == 0 {
			text = strings.Replace(text, "o", `\u006f`, 1)
		}
		w.out.WriteString(text + rapid.SampledFrom([]string{":", ": ", " : "}).Draw(w.T, "colon"))
		value(depth)
	}
}

func (w *writer) raw(text string) func(int) { return func(int) { w.out.WriteString(text) } }

// value writes anything.
func (w *writer) value(depth int) {
	kind := rapid.IntRange(0, 5).Draw(w.T, "kind")
	if depth > 4 {
		kind = 0
	}
	switch kind {
	case 4:
		var members []func(int)
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "é", "hooks", "env", "x y"}), 0, 3, rapid.ID).Draw(w.T, "keys") {
			members = append(members, w.key(key, w.value))
		}
		w.object(depth, members...)
	case 5:
		w.list("[]", rapid.IntRange(0, 3).Draw(w.T, "n"), depth, func(int) { w.value(depth + 1) })
	default:
		w.out.WriteString(rapid.SampledFrom([]string{`1`, `-0`, `1.500`, `1E+2`, `12345678901234567890`, `1e400`, `true`, `null`, `""`, `"a\/b"`,
			`"\u00e9é\ud83d\ude00"`, `"// no comment"`, `"handoff-hook session-start"`, `"\"},]"`}).Draw(w.T, "scalar"))
	}
}

// foreign writes a hook of someone else.
func (w *writer) foreign(depth int) {
	line := rapid.SampledFrom([]string{"/opt/my-handoff-hook.sh", "echo handoff-hook", "handoff list --unread", "sh -c 'handoff-hook session-start'",
		"handoff-hook-2 session-start", "handoff-hook session-start; rm -f x", "npm run handoff hook", "unclosed 'quote handoff-hook"}).Draw(w.T, "line")
	w.object(depth, w.key("type", w.raw(`"command"`)), w.key("command", w.raw(string(must(json.Marshal(line))))), w.key("timeout", w.raw("1.0e1")))
}

// settings writes the settings of an agent, which may have hooks of others and none of ours.
func (w *writer) settings(event string, grouped bool) string {
	var members []func(int)
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"model", "env", "permissions", "z"}), 0, 3, rapid.ID).Draw(w.T, "keys") {
		members = append(members, w.key(key, w.value))
	}
	list := func(depth int) {
		w.list("[]", rapid.IntRange(0, 2).Draw(w.T, "hooks"), depth, func(int) {
			if !grouped {
				w.foreign(depth + 1)
				return
			}
			w.object(depth+1, w.key("matcher", w.raw(`"startup"`)), w.key("hooks", func(depth int) {
				w.list("[]", rapid.IntRange(0, 2).Draw(w.T, "entries"), depth, func(int) { w.foreign(depth + 1) })
			}))
		})
	}
	hooks := func(depth int) {
		var events []func(int)
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Elsewhere", event, "other"}), 0, 3, rapid.ID).Draw(w.T, "events") {
			if name == event {
				events = append(events, w.key(name, list))
			} else {
				events = append(events, w.key(name, w.value))
			}
		}
		w.object(depth, events...)
	}
	if rapid.Bool().Draw(w.T, "hooks") {
		members = append(members, w.key("hooks", hooks))
	}
	if len(members) > 1 && rapid.Bool().Draw(w.T, "turned") {
		members[0], members[len(members)-1] = members[len(members)-1], members[0]
	}
	w.object(0, members...)
	w.out.WriteString(rapid.SampledFrom([]string{"", w.eol, w.eol + w.eol}).Draw(w.T, "end"))
	return w.out.String()
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func apply(t failer, change agent.Change, err error) agent.Change {
	t.Helper()
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return change
}

var shapes = []struct {
	agent, file, event string
	grouped            bool
}{
	{"claude", ".claude/settings.json", "SessionStart", true},
	{"gemini", ".gemini/settings.json", "SessionStart", true},
	{"cursor", ".cursor/hooks.json", "sessionStart", false},
	{"copilot", ".copilot/hooks/handoff.json", "sessionStart", false},
}

// Whatever the settings look like: installing adds bytes and changes none, installing again does
// nothing, and uninstalling gives the same bytes back. With an edit of someone else in between, only the space within empty
// brackets can be another.
func TestInstallIsUndone(t *testing.T) {
	home := t.TempDir()
	places := agent.Places{Home: home}
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom(shapes).Draw(t, "agent")
		row, err := agent.Find(shape.agent)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(home, shape.file)
		os.RemoveAll(filepath.Join(home, filepath.Dir(shape.file)))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		before := newWriter(t).settings(shape.event, shape.grouped)
		mode := rapid.SampledFrom([]os.FileMode{0o600, 0o644, 0o664}).Draw(t, "mode")
		if err := errors.Join(os.WriteFile(path, []byte(before), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		command := agent.Command{Program: rapid.SampledFrom([]string{"/usr/bin/handoff", "/a b/it's;x/handoff"}).Draw(t, "program"), To: "ben"}
		change, err := row.Install(places, agent.User, command)
		if change = apply(t, change, err); change.Status != agent.Installed {
			t.Fatalf("%q: %s", before, change.Status)
		}
		during := string(must(os.ReadFile(path)))
		checkInserted(t, before, during)
		checkOthers(t, before, during)
		if again, err := row.Install(places, agent.User, command); err != nil || again.Status != agent.Present {
			t.Fatalf("again: %v, %v\n%s", again.Status, err, during)
		}
		if i := strings.IndexByte(before, '{') + 1; rapid.Bool().Draw(t, "edited") && strings.Contains(before, `"`) {
			before = before[:i] + `"edited": 1,` + before[i:]
			during = during[:i] + `"edited": 1,` + during[i:]
			if err := os.WriteFile(path, []byte(during), mode); err != nil {
				t.Fatal(err)
			}
		}
		change, err = row.Uninstall(places, agent.User, false)
		if change = apply(t, change, err); change.Status != agent.Removed {
			t.Fatalf("%q: %s", during, change.Status)
		}
		info, err := os.Stat(path)
		after := string(must(os.ReadFile(path)))
		if strings.Contains(before, "edited") && compact(after) == compact(before) {
			after = before
		}
		if after != before || err != nil || info.Mode().Perm() != mode {
			t.Fatalf("%v %v\n%q became\n%q and then\n%q", info.Mode(), err, before, during, after)
		}
		left, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(left) > 1 && !strings.Contains(before, "edited") {
			t.Fatalf("left behind: %v, %v", left, err)
		}
	})
}

// compact returns JSON without space, and the text if it is none.
func compact(text string) string {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		return text
	}
	return out.String()
}

// checkInserted finds out whether after is before with something inserted.
func checkInserted(t failer, before, after string) {
	t.Helper()
	rest := before
	for i := range len(after) { // before is a subsequence of after
		if rest != "" && rest[0] == after[i] {
			rest = rest[1:]
		}
	}
	if len(after) <= len(before) || rest != "" {
		t.Fatalf("bytes were changed:\n%q\n%q", before, after)
	}
}

// checkOthers finds out whether after says everything that before says, and has one hook more.
func checkOthers(t failer, before, after string) {
	t.Helper()
	if got := strings.Count(after, "ben"); (got < 1 || got > 4) && strings.Count(after, "powershell") == 0 {
		t.Fatalf("%d hooks of ours:\n%s", got, after)
	}
	var old, now map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(before), &old), json.Unmarshal([]byte(after), &now)); err != nil {
		t.Fatalf("%v\n%s", err, after)
	}
	for key, value := range old {
		if key != "hooks" && !bytes.Equal(value, now[key]) {
			t.Fatalf("%s was %s, is %s", key, value, now[key])
		}
	}
	var oldHooks, nowHooks struct{ Hooks map[string]any }
	_, _ = json.Unmarshal([]byte(before), &oldHooks), json.Unmarshal([]byte(after), &nowHooks) // 1e400 is beyond a float
	for event, value := range oldHooks.Hooks {
		ours := regexp.MustCompile(`(?i)^(SessionStart|UserPromptSubmit|PostToolUse|BeforeAgent|AfterTool|Stop|PostCompact|SessionEnd|AfterAgent|afterAgentResponse|agentStop)$`).MatchString(event)
		if !ours && !reflect.DeepEqual(value, nowHooks.Hooks[event]) {
			t.Fatalf("%s was %v, is %v", event, value, nowHooks.Hooks[event])
		}
	}
}

// A comment, a key twice, a comma too many, a byte-order mark or a byte that is no UTF-8 is refused wherever
// it stands, and nothing is changed.
func TestNotUnderstoodIsRefused(t *testing.T) {
	home := t.TempDir()
	places := agent.Places{Home: home}
	row, err := agent.Find("claude")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".claude", "settings.json")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := newWriter(t).settings("SessionStart", true)
		text = rapid.SampledFrom([]func(string) string{
			func(s string) string { return "\ufeff" + s },
			func(s string) string { return "// why\n" + s },
			func(s string) string { return s + "/* why */" },
			func(s string) string { return s + "{}" },
			func(s string) string { return strings.TrimRight(s, "}\r\n") + `,"k":1,"\u006b":2}` },
			func(s string) string { return strings.TrimRight(s, "}\r\n") + `,"k":1,}` },
			func(s string) string { return strings.TrimRight(s, "}\r\n") },
			func(s string) string { return "{\"k\": \"\xff\"," + s[1:] },
		}).Draw(t, "fault")(text)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, errIn := row.Install(places, agent.User, agent.Command{Program: "/usr/bin/handoff"})
		_, errOut := row.Uninstall(places, agent.User, false)
		for _, err := range []error{errIn, errOut} {
			if !errors.Is(err, handoff.ErrConfig) || !strings.Contains(err.Error(), ": line ") || !strings.Contains(err.Error(), "column ") {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if now := string(must(os.ReadFile(path))); now != text {
			t.Fatalf("%q became %q", text, now)
		}
	})
}
