package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The session of the topic about remotes is run line by line, and prints what it says.
func TestTopicRemotes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	_, session, _ := strings.Cut(textOf(t, "../internal/cli/topics/remotes.md"), "```console\n")
	session, _, _ = strings.Cut(session, "```")
	bin, home, work := released.in(t), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = ann\n\temail = ann@example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var script, want strings.Builder
	for line := range strings.Lines(session) {
		if command, isCommand := strings.CutPrefix(line, "$ "); isCommand {
			script.WriteString(command)
		} else {
			want.WriteString(line)
		}
	}
	cmd := exec.Command("sh", "-c", script.String())
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
	out, _ := cmd.CombinedOutput()
	got := regexp.MustCompile(`sha256:[0-9a-f]{64}`).ReplaceAllString(string(out), "sha256:…")
	got = regexp.MustCompile(`/\S*/hub\.git`).ReplaceAllString(got, "…/hub.git")
	got = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(got, "2026-…Z")
	if got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}
