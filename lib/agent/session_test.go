//go:build unix

package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// newProject makes a project with n handoffs to ben.
func newProject(t *testing.T, n int, body string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, handoff.SettingsName), "")
	s := open(t, root)
	var sources []handoff.Source
	for i := range n {
		sources = append(sources, handoff.Source{Fields: &handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben",
			Topic: fmt.Sprintf("topic-%d", i), Time: "2026-05-07T12:00:00Z", Body: body}})
	}
	if n > 0 {
		if _, err := s.WriteAll(t.Context(), sources); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func open(t *testing.T, root string) *handoff.Store {
	t.Helper()
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root,
		Rules: schema.Frontmatter(), Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// afterTheHandoffs lets the clock of a bubble come to a time after that of all handoffs.
func afterTheHandoffs() {
	time.Sleep(time.Until(time.Date(2026, 5, 9, 0, 0, 0, 0, time.UTC)))
}

// handOver adds a handoff to ben.
func handOver(t *testing.T, root, topic string) { handOverTo(t, root, "ben", topic) }

func handOverTo(t *testing.T, root, to, topic string) {
	t.Helper()
	if _, err := open(t, root).WriteAll(t.Context(), []handoff.Source{{Fields: &handoff.Document{SchemaVersion: "1.0", From: "ann", To: to,
		Topic: topic, Time: "2026-05-08T12:00:00Z", Body: "x\n"}}}); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// start starts a session and returns what it was told, and what went wrong.
func start(s agent.Session, root string) (stdout, stderr string) { return startIn(s, root, nil) }

func startIn(s agent.Session, root string, env map[string]string) (stdout, stderr string) {
	var out, problems bytes.Buffer
	s.Cwd, s.Stdout, s.Stderr = root, &out, &problems
	s.Getenv, s.Patience = func(name string) string { return env[name] }, time.Minute
	if s.Stdin == nil {
		s.Stdin = strings.NewReader(`{"session_id":"s-1","source":"startup"}`)
	}
	s.Options = func(o *handoff.Options) {
		o.Fingerprint = func() (string, error) { return strings.Repeat("0", 64), nil }
	}
	agent.SessionStart(s)
	return out.String(), problems.String()
}

// notice is a line for a person: counts and our own words.
var notice = regexp.MustCompile(`((, )?(\d+ unread handoffs?( \(run handoff inbox\)|; I don't know who you are \(run handoff init\))|handoffs may be missing \(run handoff verify\)))+`)

// context takes the text for the model out of the envelope of an agent.
func context(t *testing.T, name, out string) string {
	t.Helper()
	if name == "plain" {
		if strings.HasPrefix(out, "[") || strings.HasPrefix(out, "{") {
			t.Errorf("plain text that looks like JSON: %q", out)
		}
		return out
	}
	text := out
	prefix, suffix := map[string]string{"cursor": `{"additional_context":`, "copilot": `{"additionalContext":`,
		"opencode": `{"additionalContext":`}[name], "}\n"
	if prefix == "" {
		prefix, suffix = `{"hookSpecificOutput":{"additionalContext":`, `,"hookEventName":"SessionStart"},"systemMessage":"`+notice.FindString(out)+`"}`+"\n"
	}
	text, begins := strings.CutPrefix(text, prefix)
	text, ends := strings.CutSuffix(text, suffix)
	var told string
	if err := json.Unmarshal([]byte(text), &told); err != nil || !begins || !ends {
		t.Errorf("%s: %v: not the envelope: %q", name, err, out)
	}
	return told
}

// Each agent gets exactly its own envelope around the same text, and the same bytes each time, whatever the
// session starts from.
func TestEnvelopes(t *testing.T) {
	root := newProject(t, 2, "the body\n")
	var texts []string
	for _, name := range agent.Names() {
		first, _ := start(agent.Session{Agent: name, To: "ben"}, root)
		texts = append(texts, context(t, name, first))
		for _, input := range []string{`{"source":"resume"}`, `{"source":"clear","session_id":"s-2"}`, `{"source":"compact"} {}`, `{"source":"fork"}`, "", "}{", `{"cwd":7}`} {
			if name == "gemini" && strings.Contains(input, "clear") { // TestDropped
				continue
			}
			if again, problems := start(agent.Session{Agent: name, To: "ben", Stdin: strings.NewReader(input)}, root); again != first || problems != "" {
				t.Errorf("%s, %s: %q, %q; want %q", name, input, again, problems, first)
			}
		}
	}
	for i, text := range texts {
		lines := strings.Split(text, "\n")
		if text != texts[0] || len(lines) != 4 || !strings.HasPrefix(lines[0], "2 unread handoffs for ben, newest first") ||
			!regexp.MustCompile(`^"[0-9a-f]{12} ann topic-1 2026-05-07T12:00:00Z"$`).MatchString(lines[1]) || strings.Contains(text, "the body") {
			t.Errorf("%s: %q", agent.Names()[i], text)
		}
	}
}

// However many there are and however long: ten are named, the cap holds, escapes included, and the rest is counted.
func TestCap(t *testing.T) {
	root := newProject(t, 200, strings.Repeat("\x1b[31m<long> ", 600))
	for _, name := range agent.Names() {
		for _, bodies := range []bool{false, true} {
			out, _ := start(agent.Session{Agent: name, To: "ben", Bodies: bodies}, root)
			text := context(t, name, out)
			rest := "\nand 190 more: `handoff list --unread --to ben`\n"
			if strings.Contains(text, "untrusted-content") {
				rest = " more: `handoff list --unread --to ben`\n"
			}
			if n := utf8.RuneCountInString(text); n > 6000 || !strings.HasSuffix(text, rest) || strings.ContainsRune(text, 0x1b) {
				t.Errorf("%s, bodies %v: %d characters: %.300q … %q", name, bodies, n, text, text[max(0, len(text)-100):])
			}
			if framed := strings.Contains(text, "untrusted-content"); framed != (bodies && name != "codex" && name != "claude" && name != "qwen") {
				t.Errorf("%s, bodies %v: framed %v", name, bodies, framed)
			}
		}
	}
}

// A reader that says nothing until the test is over.
type mute chan struct{}

func newMute(t *testing.T) mute {
	m := make(mute)
	t.Cleanup(func() { close(m) })
	return m
}

func (m mute) Read([]byte) (int, error) {
	<-m
	return 0, io.EOF
}

// endless returns a reader of one byte, again and again. After more than anybody may want it says nothing more until the
// test is over: the hooks read on what they throw away.
func endless(t *testing.T, b byte) io.Reader {
	return io.MultiReader(io.LimitReader(repeated{b}, 32<<20), newMute(t))
}

type repeated struct{ byte }

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.byte
	}
	return len(p), nil
}

// Whatever comes on standard input: it is not waited for, and the session hears what it would have heard.
func TestInput(t *testing.T) { synctest.Test(t, anyInput) }

func anyInput(t *testing.T) {
	afterTheHandoffs()
	root := newProject(t, 1, "x")
	want, _ := start(agent.Session{Agent: "claude", To: "ben"}, root)
	for _, r := range []io.Reader{newMute(t), endless(t, '['), endless(t, ' '), endless(t, 0), io.MultiReader(strings.NewReader(`{"a":"`), endless(t, 'x')), io.MultiReader(strings.NewReader(`{"a":1}`), newMute(t))} {
		if got, problems := start(agent.Session{Agent: "claude", To: "ben", Stdin: r}, root); got != want || problems != "" {
			t.Errorf("%v: %q, %q", r, got, problems)
		}
	}
	elsewhere := newProject(t, 2, "x")
	input := string(must(json.Marshal(map[string]string{"cwd": root})))
	if got, _ := start(agent.Session{Agent: "claude", To: "ben", Stdin: strings.NewReader(input)}, elsewhere); got != want {
		t.Errorf("the directory that the agent names is not used: %q", got)
	}
}

// Nothing to say is nothing said, also by way of an envelope.
func TestSilence(t *testing.T) {
	unread := newProject(t, 1, "x")
	for _, name := range agent.Names() {
		for what, s := range map[string]struct{ root, to string }{
			"nobody's": {unread, "eve"}, "no handoff": {newProject(t, 0, ""), "ben"}, "no project": {t.TempDir(), "ben"},
		} {
			if out, problems := start(agent.Session{Agent: name, To: s.to}, s.root); out != "" || problems != "" {
				t.Errorf("%s, %s: %q, %q", name, what, out, problems)
			}
		}
	}
	if out, problems := start(agent.Session{Agent: "vim\x1b", To: "ben"}, unread); out != "" || strings.Count(problems, "\n") != 1 || strings.ContainsRune(problems, 0x1b) {
		t.Errorf("%q, %q", out, problems)
	}
}

// A store that is tampered with, locked or half readable: the hook comes back, with the agent's envelope or
// nothing, and with one line at most about what is wrong, which is safe to show.
func TestBrokenStores(t *testing.T) {
	for what, breakIt := range map[string]func(root string) error{
		"body changed": func(root string) error {
			return os.WriteFile(filepath.Join(root, "handoffs/2026-05-07-ann-ben-topic-0.md"), []byte("\x1b]0;x\a"), 0o644)
		},
		"body gone": func(root string) error {
			return os.Remove(filepath.Join(root, "handoffs/2026-05-07-ann-ben-topic-0.md"))
		},
		"body a FIFO": func(root string) error { return fifo(filepath.Join(root, "handoffs/2026-05-07-ann-ben-topic-0.md")) },
		"index garbage": func(root string) error {
			return os.WriteFile(filepath.Join(root, "handoffs/INDEX.md"), bytes.Repeat([]byte("\x1b|\xff|"), 1<<18), 0o644)
		},
		"index a FIFO": func(root string) error { return fifo(filepath.Join(root, "handoffs/INDEX.md")) },
		"index gone":   func(root string) error { return os.Remove(filepath.Join(root, "handoffs/INDEX.md")) },
		"index a loop": func(root string) error {
			return errors.Join(os.Remove(filepath.Join(root, "handoffs/INDEX.md")), os.Symlink("INDEX.md", filepath.Join(root, "handoffs/INDEX.md")))
		},
		"index unreadable": func(root string) error { return os.Chmod(filepath.Join(root, "handoffs/INDEX.md"), 0) },
		"locked":           hold,
		"log garbage": func(root string) error {
			return os.WriteFile(filepath.Join(root, ".run/handoff-events.jsonl"), bytes.Repeat([]byte("\x1b{\xff\n"), 1<<18), 0o644)
		},
		"log a FIFO": func(root string) error { return fifo(filepath.Join(root, ".run/handoff-events.jsonl")) },
		"log gone":   func(root string) error { return os.Remove(filepath.Join(root, ".run/handoff-events.jsonl")) },
		"state a file": func(root string) error {
			return errors.Join(os.RemoveAll(filepath.Join(root, ".run")), os.WriteFile(filepath.Join(root, ".run"), nil, 0o600))
		},
		"handoffs a file": func(root string) error {
			return errors.Join(os.RemoveAll(filepath.Join(root, "handoffs")), os.WriteFile(filepath.Join(root, "handoffs"), nil, 0o600))
		},
		"handoffs closed": func(root string) error { return os.Chmod(filepath.Join(root, "handoffs"), 0) },
		"settings broken": func(root string) error {
			return os.WriteFile(filepath.Join(root, handoff.SettingsName), []byte("\"\\e[31mkey\": 1\n\xff"), 0o644)
		},
		"settings a FIFO": func(root string) error { return fifo(filepath.Join(root, handoff.SettingsName)) },
		"aimed elsewhere": func(root string) error {
			return os.WriteFile(filepath.Join(root, handoff.SettingsName), []byte("handoffs_dir: /etc\n"), 0o644)
		},
	} {
		t.Run(what, func(t *testing.T) {
			for _, name := range []string{"plain", "claude"} {
				root := newProject(t, 3, "x")
				if err := breakIt(root); err != nil {
					t.Fatal(err)
				}
				for _, bodies := range []bool{false, true} {
					out, problems := start(agent.Session{Agent: name, To: "ben", Bodies: bodies}, root)
					if out != "" {
						context(t, name, out)
					}
					if strings.Count(problems, "\n") > 1 || strings.ContainsRune(out+problems, 0x1b) || !utf8.ValidString(out+problems) {
						t.Errorf("%s: %q, %q", name, out, problems)
					}
				}
				_ = os.Chmod(filepath.Join(root, "handoffs"), 0o755) // so that it can be removed
			}
		})
	}
}

// A log that was changed in place is told of, and does not choose the names that a session reads.
func TestChangedLog(t *testing.T) {
	root := newProject(t, 1, "x\n")
	handOver(t, root, "last")
	path := filepath.Join(root, ".run/handoff-events.jsonl")
	text := string(must(os.ReadFile(path)))
	write(t, path, strings.ReplaceAll(text, `"from":"ann"`, `"from":"mallory"`))
	out, problems := start(agent.Session{Agent: "claude", To: "ben"}, root)
	if !strings.Contains(out, " ann topic-0 ") || strings.Contains(out, "mallory") || problems != "" {
		t.Errorf("%s%s", out, problems)
	}
	for _, said := range []string{"may be missing (`handoff verify` says more): ", ", handoffs may be missing (run handoff verify)"} {
		if !strings.Contains(out, said) {
			t.Errorf("it does not say %q: %s", said, out)
		}
	}
}

func fifo(path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) }

var held []*os.File // an open file that nobody knows would be closed, and its lock given back

// hold takes the lock of the store for as long as the test runs.
func hold(root string) error {
	f, err := os.OpenFile(filepath.Join(root, "handoffs/.INDEX.md.lock"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	held = append(held, f)
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}
