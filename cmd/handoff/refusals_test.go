//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// refusals are ways of a project to a command that is refused with 6 or 7. The project belongs to ann, is synced with
// a remote, and has two handoffs: one to ben, one to ann. does is what a person does who follows a hint without a
// command.
var refusals = []struct {
	name, before, command string
	code                  int
	does                  string
}{
	{"documents deleted", "rm -rf handoffs", "handoff verify", 6, ""},
	{"document deleted, never synced", "cd ../alone; rm handoffs/2*.md", "handoff verify", 6, ""},
	{"document changed", "for f in handoffs/*-ben-*.md; do echo x >>$f; done", "handoff verify", 6, ""},
	{"document changed, read", "for f in handoffs/*-ben-*.md; do echo x >>$f; done", "handoff read $ID", 6, ""},
	{"document changed, never synced", "cd ../alone; for f in handoffs/2*.md; do echo x >>$f; done", "handoff verify", 6, ""},
	{"state deleted", "rm -rf .run", "handoff write new.md --to ben", 6, ""},
	{"state deleted, take", "rm -rf .run", "handoff take --operator ben", 6, ""},
	{"log damaged", "sed -i 2s/ts_utc/ts_xxx/ .run/handoff-events.jsonl", "handoff write new.md --to ben", 6, ""},
	{"log damaged, verify", "sed -i 2s/ts_utc/ts_xxx/ .run/handoff-events.jsonl", "handoff verify", 6, ""},
	{"log cut", "sed -i '$d' .run/handoff-events.jsonl", "handoff write new.md --to ben", 6, ""},
	{"log is a link", "mv .run/handoff-events.jsonl log; ln -s ../log .run/handoff-events.jsonl", "handoff write new.md --to ben", 6, ""},
	{"INDEX.md is a directory", "rm handoffs/INDEX.md; mkdir handoffs/INDEX.md", "handoff verify", 6, ""},
	{"lock is a directory", "rm handoffs/.INDEX.md.lock; mkdir handoffs/.INDEX.md.lock", "handoff write new.md --to ben", 7, ""},
	{"another machine", "export TEST_MACHINE=two", "handoff write new.md --to ben", 6, ""},
	{"machine unknown", "rm .run/machine-fingerprint", "handoff write new.md --to ben", 6, ""},
	{"machine unreadable", "echo >.run/machine-fingerprint", "handoff write new.md --to ben", 6, ""},
	{"state tracked by git", "git add -f .run", "handoff write new.md --to ben", 7, ""},
	{"no git", "rm -rf .git handoffs .run", "handoff write new.md --to ben", 7, ""},
	{"unknown setting", "echo foo: 1 >>.handoff.yaml", "handoff list", 7, "sed -i /foo/d .handoff.yaml # remove the line"},
	{"no remote", "git remote remove origin", "handoff sync", 7, ""},
	{"remote rewritten", "git -C ../hub for-each-ref --format='delete %(refname)' refs/handoff | git -C ../hub update-ref --stdin", "handoff sync", 6, ""},
	{"another remote", "git remote set-url origin ../hub2", "handoff sync", 7, ""},
	{"directory named is absent", "true", "handoff list --handoffs-dir nowhere", 7, "mkdir nowhere # check --handoffs-dir"},
	{"OPERATORS.md broken", "printf -- '---\\noperators: 1\\n---\\n' >OPERATORS.md", "handoff write new.md --to ben", 7, "rm OPERATORS.md # fix the file"},
	{"a cut bundle", "handoff export -o b; head -c 300 b >cut", "handoff import cut", 6, "cp b cut # export it again"},
	{"supplied id differs", "sed 's/Deploy/Release/' handoffs/*-ben-*.md >copy.md", "handoff write copy.md", 6, "sed -i /^handoff_id/d copy.md # leave handoff_id out"},
}

const inShared = `set -e
export GIT_CONFIG_NOSYSTEM=1
git config --global user.email ann@example.org
git config --global user.name Ann
git config --global init.defaultBranch main
git init -q --bare hub; git init -q --bare hub2
mkdir alone project
cd alone
handoff init --operator ann
echo '# Alone' | handoff write - --to ben
cd ../project
git init -q
git remote add origin ../hub
handoff init --operator ann
echo '# Deploy' | handoff write - --to ben
echo '# Test it' | handoff write - --from ben --to ann
handoff sync
echo '# New' >new.md
`

var inHint = regexp.MustCompile("`((?:handoff|git|mv|rm) [^`]+)`")

// A refusal with 6 or 7 names a command that ends it: after it, the refused command succeeds.
func TestRefusalsEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			run := func(script string) (string, int) { return inShell(t, home, script) }
			if out, code := run(inShared); code != 0 {
				t.Fatal(out)
			}
			there := "cd project; ID=$(handoff list --to ben --format ids 2>/dev/null)\n" + tt.before
			if out, code := run("set -e\n" + there); code != 0 {
				t.Fatalf("%s\n%s", tt.before, out)
			}
			where := "cd project; ID=" + idOf(t, home) + "\n"
			for _, line := range strings.Split(tt.before, ";") { // what holds for one shell alone
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "cd ") || strings.HasPrefix(line, "export ") {
					where += line + "\n"
				}
			}
			said, code := run(where + tt.command)
			if code != tt.code {
				t.Fatalf("%s exits with %d, not %d:\n%s", tt.command, code, tt.code, said)
			}
			transcript := said
			try := func(line string) bool {
				out, _ := run(where + line)
				said, code = run(where + tt.command)
				transcript += "\n$ " + line + "\n" + out + "\n$ " + tt.command + "\n" + said
				return code == 0
			}
			if line, hint, is := strings.Cut(tt.does, " # "); is && strings.Contains(said, hint) && try(line) {
				return
			}
			for range 3 { // the command after the first can be refused for another reason, with another hint
				for _, found := range inHint.FindAllStringSubmatch(said, -1) {
					if try(strings.ReplaceAll(found[1], "URL", "../hub")) {
						return
					}
				}
			}
			t.Errorf("%s still exits with %d:\n%s", tt.command, code, transcript)
		})
	}
}

// idOf returns the id of the handoff to ben.
func idOf(t *testing.T, home string) string {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(home, "project", ".run", "handoff-events.jsonl"))
	found := regexp.MustCompile(`"handoff_id":"sha256:([0-9a-f]{8})`).FindSubmatch(log)
	if err != nil || found == nil {
		return "@"
	}
	return string(found[1])
}

// mistakes are commands of ann that are refused because of what she typed, in the project of refusals. What a command
// exports also holds for the hints. ID is to ben, MINE to ann.
var mistakes = []struct {
	command string
	code    int
}{
	{"handoff write 'Please deploy' --to ben", 2},
	{"handoff write 'Please deploy'", 2},
	{"handoff write -m x", 2},
	{"echo x | handoff write", 2},
	{"echo | handoff write --to ben", 2},
	{"handoff write -m x --to Ben", 2},
	{"handoff write -m x --to everyone", 2},
	{"handoff write -m x --to José", 2},
	{"handoff write -m x --to ben,,cy", 2},
	{"handoff write -m x --to ben --ts foo", 2},
	{"handoff write -m x --to ben --expires foo", 2},
	{"handoff write -m x --to ben --topic '!!!'", 2},
	{"handoff write -m x --to ben --tag 'x;'", 2},
	{"handoff write -m x --to ben --re dead", 2},
	{"handoff write -m x --to ben --tpic deploy", 2},
	{"handoff write new.md -m x --to ben", 2},
	{"handoff write -m 'AKIA'QZ7T2MNLWX4RJ5KE --to ben", 2},
	{"handoff reply dead -m x", 2},
	{"echo | handoff done $MINE --reply -", 2},
	{"echo 'AKIA'QZ7T2MNLWX4RJ5KE | handoff done $MINE --reply -", 2},
	{"handoff read dead", 2},
	{"handoff take $ID", 2},
	{"handoff done $ID", 2},
	{"handoff take $MINE && handoff archive $MINE", 2},
	{"handoff create new.md", 2},
	{"handoff import new.md", 2},
	{"mkdir -p old; cp new.md old; handoff import old", 2},
	{"handoff export $ID", 2},
	{"handoff operators", 2},
	{"handoff machine-fingerprint nosuch", 2},
	{"handoff list --nosuch", 2},
	{"handoff help writ", 2},
	{"mkdir -p /tmp/$$; cd /tmp/$$; handoff list", 2},
	{"handoff operators add ann; handoff write -m x --to cyd", 3},
	{"export HANDOFF_OPERATOR=cy; HANDOFF_OPERATOR=ann handoff take $MINE; handoff take $MINE", 11},
	{"export HANDOFF_OPERATOR=ben; handoff write new.md --from ann --to ben --supersedes $ID; handoff take $ID", 2},
}

var (
	inAnyHint = regexp.MustCompile("`(handoff [^`]+)`")
	flagHint  = regexp.MustCompile(`(?:add|mean|again with|;) (--[a-z-]+)( [A-Z]+)?`)
)

// Every command that the hint for a mistake names succeeds, and so does the refused command with the flag that the hint
// names. One of them is there.
func TestMistakesEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	top, made := t.TempDir(), t.TempDir()
	if out, code := inShell(t, made, strings.Replace(inShared, "\nhandoff sync\n", "\n", 1)); code != 0 {
		t.Fatal(out)
	}
	all := slices.Clone(mistakes)
	for line := range strings.Lines(textOf(t, "../internal/cli/words.txt")) {
		words, _, _ := strings.Cut(line, ": ")
		for _, word := range strings.Fields(words) {
			if word != "sign" { // needs a key
				all = append(all, mistakes[0])
				all[len(all)-1].command = "handoff " + word
			}
		}
	}
	for _, tt := range all {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			home, err := os.MkdirTemp(top, "home") // its name goes into scripts
			if err == nil {
				err = exec.Command("cp", "-a", made+"/.", home).Run()
			}
			if err != nil {
				t.Fatal(err)
			}
			to := func(name string) string {
				out, _ := inShell(t, home, "cd project; handoff list --to "+name+" --format ids")
				return strings.TrimSpace(out)
			}
			id, mine := to("ben"), to("ann")
			values := strings.NewReplacer("--undo ID", "--undo "+id, "--supersedes ID", "--supersedes "+id,
				"$ID", id, "$MINE", mine, " ID", " "+mine, "re HANDOFF", "re "+id, " NAME", " ben", " AGENT", " claude",
				" TOPIC", " deploy", " TAG", " ci", "write FILE", "write new.md", "-o FILE", "-o b",
				"--output FILE", "--output b", "expires TIME", "expires 7d", "ts TIME", "ts 2026-05-07")
			where := "cd project; mkdir -p " + home + "/.claude\n"
			if first, _, is := strings.Cut(tt.command, ";"); is && strings.HasPrefix(first, "export ") {
				where += first + "\n"
			}
			transcript, code := inShell(t, home, where+values.Replace(tt.command))
			if code != tt.code {
				t.Fatalf("exits with %d, not %d:\n%s", code, tt.code, transcript)
			}
			var ends []string
			for _, found := range inAnyHint.FindAllStringSubmatch(transcript, -1) {
				ends = append(ends, found[1])
			}
			for _, found := range flagHint.FindAllStringSubmatch(transcript, -1) {
				if strings.Contains(found[0], "mean") {
					ends = append(ends, strings.Replace(tt.command, "--tpic", found[1], 1))
				} else {
					ends = append(ends, tt.command+" "+found[1]+found[2])
				}
			}
			if len(ends) == 0 {
				t.Errorf("no command or flag ends it:\n%s", transcript)
			}
			for _, end := range ends {
				if out, code := inShell(t, home, where+values.Replace(end)); code != 0 {
					t.Errorf("%s exits with %d:\n%s\nafter\n%s", end, code, out, transcript)
				}
			}
		})
	}
}

// inShell runs a script of a person who has her home in a directory.
func inShell(t *testing.T, home, script string) (out string, code int) {
	t.Helper()
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + scripts.in(t) + ":" + os.Getenv("PATH"), "TEST_MACHINE=one",
		"GIT_CONFIG_NOSYSTEM=1", "EDITOR=cp new.md"}
	text, _ := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.ExitCode()
}
