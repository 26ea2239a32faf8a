//go:build unix

package agent_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Claude Code, Codex and opencode keep what a session was told: it is told again of nothing but what is new, or where it
// forgot.
func TestToldOnce(t *testing.T) {
	root, state := newProject(t, 2, "x\n"), map[string]string{"XDG_STATE_HOME": t.TempDir()}
	for _, step := range []struct {
		agent, source, session string
		told                   bool
	}{
		{"codex", "resume", "s-1", true}, // begun before there was a hook
		{"codex", "startup", "s-1", true},
		{"codex", "resume", "s-1", false},
		{"codex", "clear", "s-1", true},
		{"codex", "compact", "s-1", true},
		{"codex", "resume", "s-9", true},
		{"codex", "fork", "s-2", true}, // of which session, it does not know
		{"codex", "resume", "s-2", false},
		{"gemini", "startup", "s-1", true},
		{"gemini", "resume", "s-1", true},
		{"claude", "startup", "s-1", true},
		{"claude", "resume", "s-1", false},
		{"claude", "compact", "s-1", true},
		{"opencode", "startup", "s-1", true},
		{"opencode", "resume", "s-1", false},
	} {
		in := fmt.Sprintf(`{"session_id":%q,"source":%q}`, step.session, step.source)
		out, problems := startIn(agent.Session{Agent: step.agent, To: "ben", Stdin: strings.NewReader(in)}, root, state)
		if (out != "") != step.told || problems != "" {
			t.Errorf("%s, %s: %q, %q", step.agent, in, out, problems)
		}
	}
	handOver(t, root, "new")
	for _, agentName := range []string{"codex", "claude"} {
		resumed := agent.Session{Agent: agentName, To: "ben", Stdin: strings.NewReader(`{"session_id":"s-1","source":"resume"}`)}
		out, _ := startIn(resumed, root, state)
		if text := context(t, agentName, out); !strings.HasPrefix(text, "1 unread handoff for ben") || !strings.Contains(text, " new ") ||
			strings.Contains(text, "topic-0") {
			t.Errorf("%s: not what is new alone: %q", agentName, out)
		}
	}
}

// A session that goes on is told of what is counted and not named once, and of what the operator has taken once.
func TestToldOnceOfMany(t *testing.T) {
	root, state := newProject(t, 14, "x\n"), map[string]string{"XDG_STATE_HOME": t.TempDir()}
	s := open(t, root)
	told := func(source string) string {
		in := fmt.Sprintf(`{"session_id":"s-1","source":%q}`, source)
		out, problems := startIn(agent.Session{Agent: "claude", To: "ben", Stdin: strings.NewReader(in)}, root, state)
		if problems != "" {
			t.Error(problems)
		}
		return out
	}
	if out := told("startup"); !strings.Contains(out, "and 4 more") {
		t.Error(out)
	}
	if out := told("resume"); out != "" {
		t.Errorf("told again: %q", out)
	}
	in, err := s.Unread("ben", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Act(t.Context(), handoff.ActTake, in.Newest[0].ID, handoff.Who{Operator: "ben", Session: "s-9"}); err != nil {
		t.Fatal(err)
	}
	if out := told("resume"); !strings.Contains(out, "1 taken and not done") || strings.Contains(out, "unread") {
		t.Errorf("%q", out)
	}
	if out := told("resume"); out != "" {
		t.Errorf("told again: %q", out)
	}
}

// Gemini CLI drops the text for a session that was cleared: it is not told then, nothing counts as told, and the next
// prompt tells it.
func TestDropped(t *testing.T) {
	root := newProject(t, 2, "x\n")
	state := map[string]string{"XDG_STATE_HOME": t.TempDir()}
	in := func(event string) agent.Session {
		text := fmt.Sprintf(`{"session_id":"s-1","cwd":%q,"hook_event_name":%q,"source":"clear"}`, root, event)
		return agent.Session{Agent: "gemini", To: "ben", Stdin: strings.NewReader(text)}
	}
	if out, problems := startIn(in("SessionStart"), root, state); out != "" || problems != "" {
		t.Errorf("%q, %q", out, problems)
	}
	s := in("BeforeAgent")
	var out strings.Builder
	s.Cwd, s.Stdout, s.Getenv = root, &out, func(name string) string { return state[name] }
	if agent.Hear(s, agent.Prompt); !strings.Contains(out.String(), "2 new handoffs for ben") {
		t.Errorf("%q", out.String())
	}
}

// Copilot CLI runs the hooks of other agents, and takes no form but its own.
func TestCopilotsForm(t *testing.T) {
	root := newProject(t, 1, "x\n")
	for _, name := range agent.Names() {
		s := agent.Session{Agent: name, To: "ben", Stdin: strings.NewReader(`{"session_id":"s-1"}`)}
		out, _ := startIn(s, root, map[string]string{"COPILOT_CLI": "1"})
		want := "copilot"
		if name == "plain" {
			want = name
		}
		if text := context(t, want, out); !strings.HasPrefix(text, "1 unread handoff for ben") {
			t.Errorf("%s: %q", name, out)
		}
	}
}

// Where it is not known who is told, the recipients are named, with how many are theirs.
func TestRecipients(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root := newProject(t, 2, "x\n")
	for i := range 25 {
		handOverTo(t, root, fmt.Sprintf("op-%02d", i), "topic")
	}
	out, _ := start(agent.Session{Agent: "plain"}, root)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 1+20+1 || !strings.HasPrefix(lines[0], "27 unread handoffs. The operator of this session is unknown") ||
		lines[1] != `"ben 2"` || lines[2] != `"op-00 1"` || lines[21] != "6 more recipients" {
		t.Errorf("%q", lines)
	}
}

// Agents whose settings a variable moves are told there. One that names nothing is said to be the reason.
func TestMovedSettings(t *testing.T) {
	for name, moved := range map[string][2]string{
		"claude": {"CLAUDE_CONFIG_DIR", "settings.json"}, "codex": {"CODEX_HOME", "hooks.json"},
		"gemini": {"GEMINI_CLI_HOME", ".gemini/settings.json"}, "copilot": {"COPILOT_HOME", "hooks/handoff.json"},
	} {
		a, err := agent.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		p := agent.Places{Home: t.TempDir(), Getenv: func(variable string) string { return map[string]string{moved[0]: dir}[variable] }}
		ch, err := a.Install(p, agent.User, agent.Command{Program: "/opt/handoff"})
		if err == nil {
			err = ch.Apply()
		}
		if want := filepath.Join(dir, moved[1]); err != nil || ch.Path != want {
			t.Errorf("%s: %q, %v; want %q", name, ch.Path, err, want)
		}
		dir = filepath.Join(dir, "gone")
		var refused interface{ Hint() string }
		if _, err := a.Install(p, agent.User, agent.Command{Program: "/opt/handoff"}); !errors.As(err, &refused) || !strings.Contains(refused.Hint(), moved[0]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
