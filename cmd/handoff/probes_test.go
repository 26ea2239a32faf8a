//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// A person allows probes at a terminal, as they are; then claims are confirmed or contradicted.
func TestProbes(t *testing.T) {
	t.Parallel()
	bin, home, root := programs(t), t.TempDir(), t.TempDir()
	command := func(words ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, "handoff"), words...)
		cmd.Dir, cmd.Env = root, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		return cmd
	}
	run := func(want int, words ...string) string {
		t.Helper()
		cmd := command(words...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%v exits with %d, want %d\n%s", words, code, want, out)
		}
		return string(out)
	}
	define := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, ".handoff-probes.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	allow := func(want int, answer string, environ ...string) string {
		t.Helper()
		cmd := command("probes", "allow")
		cmd.Env = append(cmd.Env, environ...)
		terminal, err := pty.Start(cmd)
		if err != nil {
			t.Skipf("no pseudo-terminal: %v", err)
		}
		defer terminal.Close()
		_, _ = io.WriteString(terminal, answer+"\n")
		shown, _ := io.ReadAll(terminal) // fails when the program has gone
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%q exits with %d, want %d\n%s", answer, code, want, shown)
		}
		return string(shown)
	}
	packet := func(token string, claims ...string) (id string) {
		t.Helper()
		words := []string{"new", "--kind", "packet", "--from", "ann", "--to", "ben", "--topic", token, "--objective", "Finish the report on memory", "--completed", "Wrote chapters one to three",
			"--unresolved", "The chapter on limits is missing", "--assumption", "The outline stands", "--next-action", "Write the chapter on limits", "--risk", "The figures may be old"}
		for _, claim := range claims {
			words = append(words, "--ref", claim)
		}
		run(0, words...)
		return strings.TrimSpace(run(0, "list", "--topic", token, "--format", "ids"))
	}

	run(0, "init")
	define("probes: {good: {argv: [sh, -c, 'touch ran']}, bad: {argv: [sh, -c, 'printf \"why\\033[2J\\n\"; exit 3']}} # \u202e\n")
	good, both := packet("good", "probe:good=passed"), packet("both", "probe:good=passed", "probe:bad=passed")
	run(3, "check", "--probe", good)
	for _, answer := range []string{"", "y", "no", "YES", "yes please"} {
		if shown := allow(3, answer); !strings.Contains(shown, "touch ran") || !strings.Contains(shown, `\u{202e}`) {
			t.Errorf("shown is\n%s", shown)
		}
	}
	for _, variable := range []string{"CLAUDE_CODE_SESSION_ID=x", "GEMINI_CLI=1", "CODEX_THREAD_ID=x"} {
		if shown := allow(3, "yes", variable); !strings.Contains(shown, "a session of") {
			t.Errorf("shown is\n%s", shown)
		}
	}
	run(3, "check", "--probe", good)
	if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
		t.Error("what was not allowed has run")
	}

	allow(0, "yes")
	files, _ := filepath.Glob(filepath.Join(home, ".local/state/handoff/allowed-probes-*"))
	if info, err := os.Stat(strings.Join(files, " ")); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if out := run(0, "check", "--probe", good); !strings.Contains(out, "Probes:        good confirmed: passed after ") || !strings.Contains(out, "Classification: CLEAN") {
		t.Errorf("%s", out)
	}
	if out := run(10, "check", "--probe", both); !strings.Contains(out, "bad contradicted: failed with exit code 3") || !strings.Contains(out, `| why\x1b[2J`) {
		t.Errorf("%s", out)
	}
	run(0, "check", "--probe=good", both)
	run(2, "check", "--probe=nothing", both)
	if out := run(10, "check", "--probe", "--json", both); !strings.Contains(out, `{"probe":"bad","verdict":"contradicted","pass":false,"reason":"failed with exit code 3`) {
		t.Errorf("%s", out)
	}
	run(10, "resume", "--probe", "--operator", "ben", both)
	run(0, "resume", "--probe", "--operator", "ben", good)
	if out := run(0, "verify"); !strings.Contains(out, "0 warnings") {
		t.Errorf("%s", out)
	}
	run(0, "audit", "verify")
	run(0, "doctor")
	log, err := os.ReadFile(filepath.Join(root, ".run/handoff-events.jsonl"))
	if n := strings.Count(string(log), `{"event_type":"handoff.probe"`); err != nil || n != 9 {
		t.Errorf("%d events, %v", n, err)
	}

	// In git a result stands for the same commit.
	for _, words := range [][]string{{"init", "-q"}, {"add", ".handoff-probes.yaml"}, {"-c", "user.name=ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "one"}} {
		cmd := exec.Command("git", words...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", words, err, out)
		}
	}
	third := packet("third", "probe:good=passed")
	run(0, "check", "--probe", third)
	if err := os.Remove(filepath.Join(root, "ran")); err != nil {
		t.Fatal(err)
	}
	if out := run(0, "check", "--probe", third); !strings.Contains(out, "on the same commit; not run again") {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
		t.Error("it was run again")
	}

	define("probes: {good: {argv: [sh, -c, 'touch ran']}} \n")
	run(3, "check", "--probe", good)
	allow(0, "yes")
	run(11, "check", "--probe", good) // it was resumed; its probe is allowed
	run(0, "probes", "forget")
	run(3, "check", "--probe", good)
}
