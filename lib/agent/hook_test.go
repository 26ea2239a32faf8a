package agent_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A desk is a project with handoffs to ben, and a user's home.
type desk struct {
	*testing.T
	root, home string
	sent       int
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{T: t, root: t.TempDir(), home: t.TempDir()}
	write(t, filepath.Join(d.root, handoff.SettingsName), "")
	d.send("deploy")
	return d
}

func (d *desk) getenv(name string) string { return map[string]string{"HOME": d.home}[name] }

func (d *desk) store() *handoff.Store {
	d.Helper()
	p, err := handoff.LoadProject(d.root, d.getenv, handoff.ProjectFlags{})
	if err != nil {
		d.Fatal(err)
	}
	p.Options.Rules = handoff.PlainRules
	s, err := handoff.Open(p.Options)
	if err != nil {
		d.Fatal(err)
	}
	return s
}

// send stores a handoff from ann to ben and returns its id.
func (d *desk) send(topic string) string {
	d.Helper()
	d.sent++
	got, err := d.store().Write(d.Context(), fmt.Appendf(nil, "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: %s\n"+
		"ts_utc: '2026-05-07T12:00:%02dZ'\n---\nthe body\n", topic, d.sent))
	if err != nil {
		d.Fatal(err)
	}
	return got.ID
}

// run runs a hook and returns what it printed to stdout and stderr.
func (d *desk) run(event, name, input string) (out, complaint string) {
	d.Helper()
	return d.runFrom(d.root, event, name, strings.NewReader(input))
}

func (d *desk) runFrom(cwd, event, name string, input io.Reader) (out, complaint string) {
	d.Helper()
	var stdout, stderr bytes.Buffer
	agent.Hook{Event: event, Agent: name, Operator: "ben", Stdin: input, Parent: os.Getpid(),
		Cwd: cwd, Stdout: &stdout, Stderr: &stderr, Getenv: d.getenv, Patience: time.Minute}.Run()
	return stdout.String(), stderr.String()
}

func start(t *testing.T, name string) *bytes.Buffer {
	t.Helper()
	out, _ := newDesk(t).run(agent.Start, name, `{"session_id": "s-1"}`)
	return bytes.NewBufferString(out)
}

// A hook reads its input to the end: some agents fail if the pipe breaks.
func TestInputIsReadToTheEnd(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, input := range []string{`{"session_id": "s-1"}`, "garbage"} {
		r := strings.NewReader(input + strings.Repeat(" x", 20<<20))
		if d.runFrom(d.root, agent.Tool, "codex", r); r.Len() > 0 {
			t.Errorf("%d bytes of %.20q were not read", r.Len(), input)
		}
	}
}

// A session is told of a handoff once: at its start or later, again after its text was lost, and in one line a minute.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	for name, keeps := range map[string]bool{"claude": true, "gemini": false} {
		d := newDesk(t)
		say := func(event, source string) string {
			out, _ := d.run(event, name, `{"session_id": "s-1", "source": "`+source+`"}`)
			return out
		}
		if out := say(agent.Start, "startup"); !strings.Contains(out, "1 unread") {
			t.Errorf("%s starts: %q", name, out)
		}
		if out := say(agent.Prompt, "") + say(agent.Tool, ""); out != "" {
			t.Errorf("%s, nothing new: %q", name, out)
		}
		d.send("second")
		if out := say(agent.Tool, ""); !strings.Contains(out, "1 new handoff") || strings.Contains(out, "deploy") {
			t.Errorf("%s, one new: %q", name, out)
		}
		d.send("third")
		if out := say(agent.Prompt, ""); out != "" {
			t.Errorf("%s, within a minute: %q", name, out)
		}
		if out := say(agent.Start, "resume"); keeps == strings.Contains(out, "deploy") || !strings.Contains(out, "third") {
			t.Errorf("%s resumes: %q", name, out)
		}
		if out := say(agent.Start, "compact"); !strings.Contains(out, "3 unread") {
			t.Errorf("%s after compaction: %q", name, out)
		}
	}
}

// Nothing in the project silences a session, and without a home or a session nothing is told while it runs.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if out, _ := d.run(agent.Prompt, "claude", `{}`); out != "" {
		t.Errorf("without a session: %q", out)
	}
	d.home = ""
	if out, _ := d.run(agent.Prompt, "claude", `{"session_id": "s-1"}`); out != "" {
		t.Errorf("without a home: %q", out)
	}
	if out, _ := d.run(agent.Start, "claude", `{"session_id": "s-1"}`); !strings.Contains(out, "1 unread") {
		t.Errorf("a start without a home: %q", out)
	}
}

// A hook makes nothing in a project without handoffs.
func TestNoStoreIsMade(t *testing.T) {
	t.Parallel()
	d := &desk{T: t, root: t.TempDir(), home: t.TempDir()}
	write(t, filepath.Join(d.root, handoff.SettingsName), "")
	for _, event := range []string{agent.Start, agent.Prompt, agent.Tool, agent.End} {
		d.run(event, "claude", `{"session_id": "s-1"}`)
	}
	if entries, err := os.ReadDir(d.root); err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
}

// What an ended session leaves is a file that the next session is told of, once.
func TestSessionEnd(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.run(agent.Start, "claude", `{"session_id": "s-1"}`)
	take := func(session string) {
		id := d.send("held-by-" + session)
		if _, err := d.store().Act(t.Context(), handoff.ActTake, id, handoff.Who{Operator: "ben", Session: session}); err != nil {
			t.Fatal(err)
		}
	}
	take("s-1")
	d.run(agent.End, "claude", `{"session_id": "s-1", "hook_event_name": "Stop", "last_assistant_message": "I stopped at step 3, key AKIAQ3EGRIXW5PY2DT4M"}`)
	if out, _ := d.run(agent.Start, "claude", `{"session_id": "s-2"}`); strings.Contains(out, "the last session") {
		t.Errorf("it still runs: %q", out)
	}
	d.run(agent.End, "claude", `{"session_id": "s-1", "hook_event_name": "SessionEnd", "transcript_path": "/t.jsonl"}`)
	p, err := handoff.LoadProject(d.root, d.getenv, handoff.ProjectFlags{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := handoff.Open(p.Options)
	if err != nil {
		t.Fatal(err)
	}
	last, err := agent.LastSession(s, d.getenv)
	for _, want := range []string{"held-by-s-1", "I stopped at step 3", "/t.jsonl"} {
		if err != nil || !strings.Contains(last.Text, want) {
			t.Errorf("no %q in %q, %v", want, last.Text, err)
		}
	}
	if info, err := os.Stat(last.Path); err != nil || info.Mode() != 0o600 || strings.Contains(last.Text, "AKIA") {
		t.Error(info.Mode(), err, last.Text)
	}
	const told = "the last session here ended at "
	out, _ := d.run(agent.Start, "claude", `{"session_id": "s-3"}`)
	if !strings.Contains(out, told) || !strings.Contains(out, "without a handoff and holds 1: `handoff read --last-session`") {
		t.Errorf("%q", out)
	}
	if out, _ := d.run(agent.Start, "claude", `{"session_id": "s-3", "source": "resume"}`); strings.Contains(out, told) {
		t.Errorf("told twice: %q", out)
	}

	d.run(agent.End, "claude", `{"session_id": "s-3", "hook_event_name": "SessionEnd"}`)
	if again, err := agent.LastSession(s, d.getenv); err != nil || again.Path != last.Path {
		t.Errorf("a session without anything left %s, %v", again.Path, err)
	}
}
