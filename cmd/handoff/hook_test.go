package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// project makes a project with one handoff to ben.
func hookProject(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, handoff.SettingsName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root,
		UserState: filepath.Join(root+".state", "handoff"), Rules: schema.Frontmatter()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), []byte("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: deploy\nts_utc: '2026-05-07T12:00:00Z'\n---\nthe body\n")); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestPlainScript(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../hooks/session-start.sh")
	if err != nil {
		t.Fatal(err)
	}
	run := func(path, dir string) string {
		cmd := exec.Command("/bin/sh", script, "--operator", "ben")
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + path, "HOME=" + dir}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("the script failed: %v\n%s", err, out)
		}
		return string(out)
	}
	root, bin := hookProject(t), filepath.Join(released.in(t), "handoff")
	if out := run(filepath.Dir(bin), root); !strings.Contains(out, "1 unread handoff for ben") || strings.Contains(out, "the body") {
		t.Errorf("with a handoff: %q", out)
	}
	if out := run(filepath.Dir(bin), t.TempDir()); out != "" {
		t.Errorf("without a store: %q", out)
	}
	if out := run("/nowhere", root); out != "" {
		t.Errorf("without the program: %q", out)
	}
}

// The agent may leave standard input open and say nothing: the hook must not wait for it.
func TestOpenInput(t *testing.T) {
	t.Parallel()
	root, bin := hookProject(t), filepath.Join(released.in(t), "handoff")
	for _, input := range []string{"", "{", "not json at all ", `{"cwd":"` + root + `"}`, `{"cwd":"/nowhere"}` + strings.Repeat(" ", 1000), strings.Repeat("[", 100_000)} {
		cmd := exec.Command(bin, "hook", "session-start", "--agent=claude", "--operator", "ben")
		cmd.Dir = root
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = stdin.Write([]byte(input)) // the pipe stays open
		}()
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%.20q: %v", input, err)
		}
		var envelope struct {
			Output struct {
				Event   string `json:"hookEventName"`
				Context string `json:"additionalContext"`
			} `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal(out, &envelope); err != nil || envelope.Output.Event != "SessionStart" || !strings.Contains(envelope.Output.Context, "1 unread handoff for ben") {
			t.Errorf("%.20q: %q, %v", input, out, err)
		}
	}
}

// A hook without news ends before most packages initialize. What arrives is told, even if the agent never closes the input.
func TestQuietHook(t *testing.T) {
	t.Parallel()
	root, bin := hookProject(t), filepath.Join(released.in(t), "handoff")
	home := t.TempDir()
	run := func(event string) (out, trace string) {
		cmd := exec.Command(bin, "hook", event, "--agent", "claude", "--operator", "ben")
		cmd.Dir, cmd.Env = root, []string{"HOME=" + home, "GODEBUG=inittrace=1"}
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = stdin.Write([]byte(`{"tool_input":{"session_id":"x","a":["}"]},"session_id":"s-1","cwd":"` + root + `"}`))
		}()
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		start := time.Now()
		if err := cmd.Run(); err != nil || time.Since(start) > 5*time.Second {
			t.Error(time.Since(start), err)
		}
		return stdout.String(), stderr.String()
	}
	if out, _ := run("prompt"); !strings.Contains(out, "1 new handoff for ben") {
		t.Errorf("news: %q", out)
	}
	for _, event := range []string{"prompt", "tool"} {
		if out, trace := run(event); out != "" || !strings.Contains(trace, "init os ") || strings.Contains(trace, "init encoding/json ") {
			t.Errorf("%s without news: %q\n%s", event, out, trace)
		}
	}
}
