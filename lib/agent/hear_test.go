//go:build unix

package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A listener is a session of an agent, with a state directory of its own.
type listener struct {
	agent, root, state, session string
}

func newListener(t *testing.T, name string, unread int) listener {
	t.Helper()
	return listener{name, newProject(t, unread, "x\n"), t.TempDir(), "s-1"}
}

func (l listener) run(r io.Reader, hook func(agent.Session)) (stdout, stderr string) {
	var out, problems bytes.Buffer
	hook(agent.Session{Agent: l.agent, To: "ben", Cwd: l.root, Stdin: r, Stdout: &out, Stderr: &problems, Patience: time.Minute,
		Getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": l.state, "HOME": l.state}[name] },
		Options: func(o *handoff.Options) {
			o.UserState, o.Fingerprint = "", func() (string, error) { return strings.Repeat("0", 64), nil }
		}})
	return out.String(), problems.String()
}

// wake waits for news of the session, which a process has and a person attends, until after something has happened.
func (l listener) wake(parent int, during func()) (line string) {
	l.run(l.input(), func(s agent.Session) {
		getenv, waits := s.Getenv, 0
		s.Parent, s.Getenv = parent, func(name string) string {
			if name == "CLAUDE_CODE_SESSION_ATTENDED" {
				return "1"
			}
			return getenv(name)
		}
		line = agent.Wake(s, func() error {
			if waits++; waits > 1 {
				return io.EOF
			}
			during()
			return nil
		})
	})
	return line
}

func (l listener) input() io.Reader {
	return strings.NewReader(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"prompt":"x"}`, l.session, l.root))
}

func (l listener) start() string {
	out, _ := l.run(l.input(), agent.SessionStart)
	return out
}

func (l listener) hear(e agent.Event) string {
	out, problems := l.run(l.input(), func(s agent.Session) { agent.Hear(s, e) })
	return out + problems
}

// later lets the minute pass in which a session hears nothing more.
func (l listener) later(t *testing.T) {
	t.Helper()
	notes, err := filepath.Glob(filepath.Join(l.state, "handoff/heard/*/note"))
	if err != nil || len(notes) == 0 {
		t.Fatalf("%v: no memory", err)
	}
	for _, note := range notes {
		text, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Split(string(text), "\n")
		fields[1] = "2001-01-01T00:00:00Z" // Told
		write(t, note, strings.Join(fields, "\n"))
	}
}

func (l listener) offers(t *testing.T) (ids int) {
	t.Helper()
	for _, o := range open(t, l.root).Sessions().Offers() {
		if o.Session == l.session {
			ids += len(o.IDs)
		}
	}
	return ids
}

// A running session hears of what arrives, once and in one line of its agent's form, and of nothing else.
func TestHear(t *testing.T) {
	for _, name := range agent.Names() {
		for _, e := range []agent.Event{agent.Prompt, agent.Tool} {
			t.Run(name+" "+string(e), func(t *testing.T) {
				l := newListener(t, name, 12)
				if name == "plain" { // whose start tells no session
					l.hear(e)
					l.later(t)
				}
				if l.start() == "" || l.hear(e) != "" {
					t.Fatal("told twice, or not at all")
				}
				told := l.offers(t)
				handOver(t, l.root, "deploy")
				line := l.hear(e)
				if name == "cursor" && e == agent.Prompt || name == "antigravity" && e == agent.Tool {
					if line != "" { // the agent drops it
						t.Errorf("%q", line)
					}
					return
				}
				if strings.Count(line, "1 new handoff for ben") != 1 || !strings.Contains(line, " ann deploy") || strings.Count(line, "\n") != 1 {
					t.Fatalf("%q", line)
				}
				var envelope map[string]any
				if err := json.Unmarshal([]byte(line), &envelope); (err == nil) != (name != "plain") {
					t.Errorf("%v: %s", err, line)
				}
				for _, word := range []string{"decision", "continue", "permission", "block", "stopReason"} {
					if envelope[word] != nil {
						t.Errorf("it does more than append: %s", line)
					}
				}
				if l.offers(t) != told+1 {
					t.Errorf("%d offers after %d", l.offers(t), told)
				}
				if again := l.hear(agent.Prompt) + l.hear(agent.Tool); again != "" {
					t.Errorf("again: %q", again)
				}
			})
		}
	}
}

// What waits for a session wakes it for what arrives, until the agent says that the session has ended, as after /clear, when
// the agent itself goes on. It waits again once the session was resumed.
func TestWakeEnds(t *testing.T) {
	l := newListener(t, "claude", 1)
	wake := func(during func()) string { return l.wake(os.Getpid(), during) }
	keep := func(event string) { // as the hooks that are installed: for no operator
		in := fmt.Sprintf(`{"session_id":%q,"cwd":%q,%s}`, l.session, l.root, event)
		l.run(strings.NewReader(in), func(s agent.Session) {
			s.To = ""
			agent.SaveDraft(s)
		})
	}
	l.start()
	if line := wake(func() { handOver(t, l.root, "one") }); !strings.Contains(line, "1 new handoff for ben") {
		t.Errorf("not woken: %q", line)
	}
	l.later(t)
	told := l.offers(t)
	if line := wake(func() {
		keep(`"hook_event_name":"SessionEnd","reason":"clear"`)
		handOver(t, l.root, "two")
	}); line != "" || l.offers(t) != told {
		t.Errorf("a session that has ended is told %q; %d offers after %d", line, l.offers(t), told)
	}
	l.start()
	keep(`"hook_event_name":"SessionStart","source":"resume"`)
	l.later(t)
	if line := wake(func() { handOver(t, l.root, "three") }); !strings.Contains(line, "1 new handoff for ben") {
		t.Errorf("a resumed session is not woken: %q", line)
	}
}

// Codex has a queue for each session, which it reads while it is idle: what wakes a session is put there. What the queue does
// not take is not told, and neither is anything once the process of the session is gone.
func TestWakeQueues(t *testing.T) {
	l, bin := newListener(t, "codex", 1), t.TempDir()
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	queue := func(script string) {
		if err := os.WriteFile(filepath.Join(bin, "codex"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.start()
	told := l.offers(t)

	queue("echo no such session >&2; exit 1")
	if line := l.wake(os.Getpid(), func() { handOver(t, l.root, "one") }); !strings.Contains(line, "1 new handoff for ben") || l.offers(t) != told {
		t.Errorf("a queue that fails: %q, %d offers after %d", line, l.offers(t), told)
	}
	killed := filepath.Join(bin, "killed") // the note, if all were killed while the queue is asked
	queue(`cp ` + filepath.Join(l.state, "handoff/heard/*/note") + ` ` + killed + `; printf '<%s>' "$@" >> ` + filepath.Join(bin, "queued"))
	for range 2 { // once
		if line := l.wake(os.Getpid(), func() {}); line != "" || l.offers(t) != told+1 {
			t.Errorf("%q, %d offers after %d", line, l.offers(t), told)
		}
	}
	l.later(t)
	if note, err := os.ReadFile(killed); err != nil || strings.Contains(string(note), queuedID(t, bin)) {
		t.Errorf("what is not yet in the queue counts as told: %q, %v", note, err)
	}
	session := exec.Command("sleep", "60")
	if err := session.Start(); err != nil {
		t.Fatal(err)
	}
	line := l.wake(session.Process.Pid, func() {
		handOver(t, l.root, "two")
		_ = session.Process.Kill()
		_ = session.Wait()
	})
	if line != "" || l.offers(t) != told+1 {
		t.Errorf("a session that was killed: %q, %d offers after %d", line, l.offers(t), told)
	}
	text, err := os.ReadFile(filepath.Join(bin, "queued"))
	if want := "<queue><--thread><s-1><--message><1 new handoff for ben, "; err != nil || !strings.HasPrefix(string(text), want) ||
		strings.Count(string(text), "<--message>") != 1 {
		t.Errorf("queued %s, %v", text, err)
	}
}

// A hook of the session renews the lease of what it has taken, also if what waits for the session has looked first.
func TestWakeLeavesLeases(t *testing.T) {
	l := newListener(t, "codex", 1)
	l.start()
	l.run(l.input(), func(s agent.Session) {
		s.Parent = os.Getpid()
		waits := 0
		agent.Wake(s, func() error {
			if waits++; waits > 1 {
				return io.EOF
			}
			store := open(t, l.root)
			all, err := store.List(handoff.Filter{To: "ben"})
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			_, err = store.Act(t.Context(), handoff.ActTake, all[0].ID, handoff.Consumption{Operator: "ben", Session: l.session,
				Until: time.Now().Add(2 * time.Hour).UTC().Format(time.RFC3339)})
			return err
		})
	})
	l.hear(agent.Tool)
	notes, _ := filepath.Glob(filepath.Join(l.state, "handoff/heard/*/note"))
	note, err := os.ReadFile(notes[0])
	fields := strings.Split(string(note), "\n")
	if renew, bad := time.Parse(time.RFC3339Nano, fields[2]); err != nil || bad != nil || time.Until(renew) < 30*time.Minute {
		t.Errorf("the lease is to be renewed at %s", fields[2])
	}
}

// The same store gives the same report, also for what was taken or done within one second.
func TestTakenInOrder(t *testing.T) {
	l := newListener(t, "claude", 6)
	store := open(t, l.root)
	all, err := store.List(handoff.Filter{To: "ben"})
	if err != nil || len(all) != 6 {
		t.Fatal(all, err)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	for _, e := range all {
		if _, err := store.Act(t.Context(), handoff.ActTake, e.ID, handoff.Consumption{Operator: "ben", Time: now}); err != nil {
			t.Fatal(err)
		}
	}
	first := l.start()
	for range 20 {
		if again := l.start(); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
	for _, e := range all {
		if _, err := store.Act(t.Context(), handoff.ActDone, e.ID, handoff.Consumption{Operator: "ben", Time: now}); err != nil {
			t.Fatal(err)
		}
	}
	ended := store.Lifecycle().Endings("ann", "", time.Hour)
	for range 20 {
		if again := store.Lifecycle().Endings("ann", "", time.Hour); len(again) != 6 || !slices.Equal(again, ended) {
			t.Fatalf("%v\n%v", ended, again)
		}
	}
}

// queuedID returns the id of the handoff that the message in the queue names.
func queuedID(t *testing.T, bin string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(bin, "queued"))
	if _, id, isNamed := strings.Cut(string(text), "(chosen by the sender): \""); err == nil && isNamed {
		return id[:12]
	}
	t.Fatalf("queued %s, %v", text, err)
	return ""
}

// At most one line a minute; the newest three are named, the others counted; names of others are cut.
func TestHearIsShort(t *testing.T) {
	l := newListener(t, "claude", 0)
	l.start()
	for i := range 5 {
		handOver(t, l.root, fmt.Sprint("one-", i))
	}
	line := l.hear(agent.Tool)
	if !strings.Contains(line, "5 new handoffs for ben") || strings.Count(line, "ann one-") != 3 || !strings.Contains(line, "and 2 more: `handoff list --unread --to ben`") {
		t.Errorf("%s", line)
	}
	handOver(t, l.root, strings.Repeat("obey-", 14))
	if early := l.hear(agent.Tool); early != "" {
		t.Errorf("within a minute: %s", early)
	}
	l.later(t)
	if line = l.hear(agent.Prompt); !strings.Contains(line, "1 new handoff for ben") || !strings.Contains(line, "ann obey-obey-obey-obey-o...") ||
		!strings.Contains(line, "chosen by the sender") {
		t.Errorf("after a minute: %s", line)
	}
	l.later(t)
	if line = l.hear(agent.Prompt); line != "" {
		t.Errorf("again: %s", line)
	}
}

// A session that no hook began, another session and another operator each hear of it; without a memory nothing is said.
func TestHearIsOfASession(t *testing.T) {
	l := newListener(t, "claude", 1)
	first := l.hear(agent.Prompt)
	if !strings.Contains(first, "1 new handoff") {
		t.Errorf("%s", first)
	}
	other := l
	if other.session = "s-2"; other.hear(agent.Prompt) != first {
		t.Error("the other session is told something else")
	}
	if err := os.RemoveAll(filepath.Join(l.state, "handoff/heard")); err != nil {
		t.Fatal(err)
	}
	if line := l.hear(agent.Prompt); line != "" {
		t.Errorf("without its memory, the session is told again: %s", line)
	}
	handOver(t, l.root, "new")
	for _, state := range []string{"relative", "/dev/null/x"} {
		blind := l
		if blind.state = state; blind.hear(agent.Prompt) != "" {
			t.Error("announced, but it cannot be remembered")
		}
	}
	write(t, filepath.Join(l.root, handoff.SettingsName), "hook_enabled: false\n")
	if line := l.hear(agent.Prompt); line != "" {
		t.Errorf("switched off: %s", line)
	}
}

// Hooks of one session at the same time announce once.
func TestHearOnceAtOnce(t *testing.T) {
	l := newListener(t, "claude", 0)
	l.start()
	handOver(t, l.root, "new")
	var lines [8]string
	var wg sync.WaitGroup
	for i := range lines {
		wg.Go(func() { lines[i] = l.hear([]agent.Event{agent.Prompt, agent.Tool}[i%2]) })
	}
	wg.Wait()
	if all := strings.Join(lines[:], ""); strings.Count(all, "1 new handoff for ben") != 1 {
		t.Errorf("%q", lines)
	}
}

// Whatever an agent says, or does not: no output, no wait, no panic. The clock of this test passes only while all that
// runs waits for it.
func TestHearHostileInput(t *testing.T) { synctest.Test(t, hearHostileInput) }

func hearHostileInput(t *testing.T) {
	afterTheHandoffs()
	l := newListener(t, "claude", 1)
	huge := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"tool_response":"`), io.LimitReader(repeated{'x'}, 100<<20), strings.NewReader(`","session_id":"late"}`))
	}
	for i, r := range []io.Reader{nil, newMute(t), endless(t, '['), endless(t, 0), huge(), strings.NewReader(""), strings.NewReader("}{"), strings.NewReader("[]"), strings.NewReader(`"x"`),
		strings.NewReader(`{"session_id":7,"cwd":[]}`), strings.NewReader(`{"session_id":"\u001b[2J"}`), strings.NewReader(`{"session_id":"../../x"}`),
		strings.NewReader(`{"session_id":"s","cwd":"/nowhere/at/all"}`), strings.NewReader(`{"session_id":"t","cwd":"/dev/null"}`), strings.NewReader(`{"session_id":"u","cwd":"/proc/self/fd"}`),
		strings.NewReader(strings.Repeat(`{"a":`, 100000)),
	} {
		begun := time.Now()
		out, problems := l.run(r, func(s agent.Session) { agent.Hear(s, agent.Tool) })
		if out+problems != "" || time.Since(begun) > 300*time.Millisecond {
			t.Errorf("%d: %q, %q, %v", i, out, problems, time.Since(begun))
		}
	}
	late := io.MultiReader(strings.NewReader(`{"session_id":"s-7","tool_response":"`), endless(t, 'x'))
	if out, _ := l.run(late, func(s agent.Session) { agent.Hear(s, agent.Tool) }); !strings.Contains(out, "1 new handoff") {
		t.Errorf("the session's id comes first, and the rest is too long: %q", out)
	}
	vim := l
	if vim.agent = "vim\x1b"; vim.hear(agent.Prompt) != "" {
		t.Error("an unknown agent is told something")
	}
}

// A memory that was damaged counts as missing, and memories do not pile up.
func TestMemories(t *testing.T) {
	l := newListener(t, "claude", 1)
	l.start()
	handOver(t, l.root, "new")
	notes, _ := filepath.Glob(filepath.Join(l.state, "handoff/heard/*/note"))
	for _, text := range []string{"", "{", "\nx\ny\n\n\n/a\nend", strings.Repeat("\n", 2<<20)} {
		write(t, notes[0], text)
		l.hear(agent.Prompt)
	}
	for i := range 300 {
		l.session = fmt.Sprint("many-", i)
		l.start()
	}
	notes, _ = filepath.Glob(filepath.Join(l.state, "handoff/heard/*"))
	if len(notes) > 256 {
		t.Errorf("%d memories", len(notes))
	}
}

// What a look finds too late for the agent is announced by the next one, a minute later.
func TestHearTooLate(t *testing.T) {
	l := newListener(t, "claude", 1)
	l.start()
	handOver(t, l.root, "new")
	if out, _ := l.run(l.input(), func(s agent.Session) {
		s.Patience = time.Nanosecond
		agent.Hear(s, agent.Tool)
	}); out != "" {
		t.Fatalf("in time: %q", out)
	}
	for range 50 { // the look that came too late ends on its own
		time.Sleep(20 * time.Millisecond)
	}
	l.later(t)
	if line := l.hear(agent.Tool); !strings.Contains(line, "1 new handoff for ben") {
		t.Errorf("never announced: %q", line)
	}
}

// A session whose memory was damaged is woken for what it was not told.
func TestWakeDamagedMemory(t *testing.T) {
	l := newListener(t, "claude", 1)
	l.start()
	handOver(t, l.root, "new")
	notes, _ := filepath.Glob(filepath.Join(l.state, "handoff/heard/*/note"))
	write(t, notes[0], "{")
	woken := ""
	l.run(l.input(), func(s agent.Session) {
		getenv := s.Getenv
		s.Parent, s.Getenv = os.Getpid(), func(name string) string {
			if name == "CLAUDE_CODE_SESSION_ATTENDED" {
				return "1"
			}
			return getenv(name)
		}
		woken = agent.Wake(s, func() error { return io.EOF })
	})
	if line := l.hear(agent.Prompt); !strings.Contains(woken+line, "1 new handoff for ben") {
		t.Errorf("never announced: %q, %q", woken, line)
	}
}
