//go:build linux

package tui_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const note = `# Cache of the new runner

The runner builds ` + "`main`" + ` in four minutes. **The cache is cold**: the first build took
fifteen.

## What to do next

1. Build once with the cache on.
2. Switch the old runner off on Friday.

Beware: the old runner still answers on port 8080.
`

// A line of the tour is one of text, or what somebody does at a terminal.
type line struct {
	text    string // not empty: nobody does anything
	who     string
	command string
	answers [][2]string // what is typed once something is on the screen
	last    string      // the screen that is kept has this; what is typed after it leads out
}

var tour = []line{
	{text: `# The first ten minutes

Ann and Ben work in one clone of a project; Ben's terminal has HANDOFF_OPERATOR=ben. Ann writes a handoff; Ben takes it,
answers and finishes it. Everything below is real output on a terminal of 100 columns.
` + "`go test ./cmd/internal/tui -run TestTour`" + ` runs it again and compares it, with other ids and times. The README
shows how to install handoff.

## Ann begins
`},
	{who: "ann", command: "git clone https://example.org/harbour.git"},
	{who: "ann", command: "handoff init", answers: [][2]string{{"Who are you?", "ann\r"}, {"[synced]:", "\r"}, {"in this project?", "\r"}}},
	{text: "\nShe writes down the state of her work for Ben. Any Markdown will do: handoff finds topic and time.\n"},
	{who: "ann", command: "cat note.md"},
	{who: "ann", command: "handoff write note.md --to ben"},
	{who: "ann", command: "handoff list"},
	{text: "\n## Ben takes over\n\n`@` is the handoff that he saw last; to take it, the one that he has read; then the one that he holds.\n"},
	{who: "ben", command: "handoff status"},
	{who: "ben", command: "handoff read @"},
	{who: "ben", command: "handoff take @"},
	{text: "\nNow only he can work on it. When the work is done, Ben answers and finishes the handoff. Ann sees both.\n"},
	{who: "ben", command: "echo 'The cache is warm: four minutes.' | handoff reply @ -"},
	{who: "ben", command: "handoff done @"},
	{text: "\n## Ann looks\n"},
	{who: "ann", command: "handoff log @"},
	{text: "\n`handoff inbox`, or just `handoff`, shows everything full screen; `?` lists the keys.\n"},
	{who: "ann", command: "handoff inbox", answers: [][2]string{{"four minutes", "\t\t"}, {"Done 1", "q"}}, last: "Done 1"},
	{text: "\nThe same as a web site, for a browser or a server:\n"},
	{who: "ann", command: "handoff page -o site"},
	{text: "\nCheck whether anything was lost, changed or forged:\n"},
	{who: "ann", command: "handoff verify"},
	{text: "\nWhat next: `handoff install claude` tells new sessions of a coding agent what is unread\n([hooks/README.md](../hooks/README.md)). `handoff sync` exchanges handoffs with other clones.\n`handoff help` lists the daily commands, `handoff help all` all of them.\n"},
}

// testdata/tour.md is what the real programs say from the clone of a project to the end of its first handoff.
func TestTour(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	dir, err := os.MkdirTemp("", "tour") // a short name, since it is printed
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	script := `set -e
		git init -q --bare -b main harbour.git && git init -q -b main first && cd first
		git -c user.name=ann -c user.email=ann@example.org commit -q --allow-empty -m 'A harbour' && git push -q ../harbour.git main
		cd .. && mkdir ann`
	if out, err := exec.Command("sh", "-c", "cd "+dir+"\n"+script).CombinedOutput(); err != nil {
		t.Skipf("no git: %v\n%s", err, out)
	}
	// What go run links, it keeps for the next time; go build links each time anew.
	cmd := exec.Command("go", "run", "-buildvcs=false", "-ldflags=-s -w", "-exec=cp", "../../handoff", bin+"/")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	config := fmt.Sprintf("[user]\n\tname = ann\n\temail = ann@example.org\n[url \"%s/\"]\n\tinsteadOf = https://example.org/\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "ann", ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	const path = "../../../testdata/tour.md"
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, l := range tour {
		if l.text != "" {
			b.WriteString(l.text)
			continue
		}
		if tour[i-1].text != "" {
			b.WriteString("\n```console\n")
		}
		b.WriteString("$ " + l.command + "\n" + l.play(t, dir, bin, string(kept)))
		if tour[i+1].text != "" {
			b.WriteString("```\n")
		}
		if l.who == "ann" && strings.HasPrefix(l.command, "git clone") {
			if err := os.WriteFile(filepath.Join(dir, "ann/harbour/note.md"), []byte(note), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := steady(strings.ReplaceAll(b.String(), dir, "/home"))
	if strings.Contains(got, " min ago") {
		t.Skip("this machine takes minutes for it, and says so")
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		kept = []byte(got)
	}
	if diff := cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the tour is another one; run with -update and read it:\n%s", diff)
	}
}

// play does what a line says and returns what was on the screen. What is drawn in several pieces it takes for whole once it is
// in the tour that is kept.
func (l line) play(t *testing.T, dir, bin, kept string) string {
	t.Helper()
	home := filepath.Join(dir, "ann")
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "HANDOFF_OPERATOR=" + strings.ReplaceAll(l.who, "ann", ""), "PATH=" + bin + ":" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + home + "/.gitconfig", "USER=ann"}
	at, height := filepath.Join(home, "harbour"), 60
	if strings.HasPrefix(l.command, "git clone") {
		at = home
	}
	if l.last != "" {
		height = 24
	}
	s := startCommand(t, 100, height, at, env, "sh", "-c", l.command)
	screen := ""
	for _, a := range l.answers {
		s.sees(a[0])
		if a[0] == l.last {
			if *update {
				time.Sleep(time.Second)
			}
			s.settles(func() bool {
				screen = s.text()
				return *update || strings.Contains(withoutIDs(timeless(kept)), withoutIDs(timeless(strings.ReplaceAll(screen, dir, "/home"))))
			})
		}
		s.press(a[1])
	}
	if code := s.leaves(); code != 0 {
		t.Fatalf("%s: exit code %d\n%s", l.command, code, s.text())
	}
	if l.last == "" {
		const end = "end of all that was said"
		if _, err := s.slave.WriteString(end); err != nil {
			t.Fatal(err)
		}
		screen, _, _ = strings.Cut(s.sees(end), end)
	}
	return strings.TrimRight(screen, "\n") + "\n"
}

// steady puts what differs from run to run in the form of one run.
func steady(text string) string {
	ids := make(map[string]string)
	text = regexp.MustCompile(`\b[0-9a-f]{8,64}\b`).ReplaceAllStringFunc(text, func(id string) string {
		if ids[id[:8]] == "" {
			ids[id[:8]] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, "tour ", len(ids))))
		}
		return ids[id[:8]][:len(id)]
	})
	return timeless(text)
}

func withoutIDs(text string) string {
	return regexp.MustCompile(`\b[0-9a-f]{8,64}\b`).ReplaceAllString(text, "ID")
}

// timeless puts the same time in the place of all times.
func timeless(text string) string {
	for _, r := range [][2]string{
		{`\d{4}-\d\d-\d\d`, "2026-11-22"},
		{`[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d`, "Sun 22 Nov 2026 09:00"},
		{`T\d\d:\d\d:\d\dZ`, "T09:00:00Z"},
		{`\b\d\d:\d\d UTC`, "09:00 UTC"},
	} {
		text = regexp.MustCompile(r[0]).ReplaceAllString(text, r[1])
	}
	return text
}
