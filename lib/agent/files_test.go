//go:build unix

package agent_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const program = "/usr/bin/handoff"

// hooks has the number of hooks that are installed for each agent.
var hooks = map[string]int{"claude": 4, "codex": 4, "gemini": 4, "qwen": 4, "cursor": 3, "copilot": 4, "opencode": 4}

func find(t *testing.T, name string) agent.Agent {
	t.Helper()
	a, err := agent.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// tree lists everything below dir with its kind, mode and content, but no directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		text := []byte(nil)
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		fmt.Fprintf(&out, "%s %v %.500q\n", path, info.Mode(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What there was is there again after install and uninstall: no file, an empty object. A directory that install made
// stays.
func TestNothingIsLeftBehind(t *testing.T) {
	for _, name := range agent.Installable() {
		for what, prepare := range map[string]func(home string){
			"nothing":      func(string) {},
			"directory":    func(home string) { _ = os.MkdirAll(filepath.Join(home, "."+name), 0o700) },
			"empty object": func(home string) { put(t, settingsPath(home, name), "{}\n") },
			"hooks":        func(home string) { put(t, settingsPath(home, name), "{\"hooks\": { }}") },
		} {
			if name == "opencode" && (what == "empty object" || what == "hooks") {
				continue // no settings, but a plugin of other people
			}
			t.Run(name+" "+what, func(t *testing.T) {
				home := t.TempDir()
				prepare(home)
				before := tree(t, home)
				p := agent.Places{Home: home}
				change, err := find(t, name).Install(p, agent.User, agent.Command{Program: program})
				change = apply(t, change, err)
				if change.Status != agent.Installed || tree(t, home) == before {
					t.Errorf("%s: %s", change.Status, tree(t, home))
				}
				change, err = find(t, name).Uninstall(p, agent.User, false)
				apply(t, change, err)
				if after := tree(t, home); after != before {
					t.Errorf("before\n%safter\n%s", before, after)
				}
			})
		}
	}
}

func settingsPath(home, name string) string {
	return filepath.Join(home, map[string]string{"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
		"qwen": ".qwen/settings.json", "cursor": ".cursor/hooks.json", "copilot": ".copilot/hooks/handoff.json",
		"opencode": ".config/opencode/plugin/handoff.js"}[name])
}

func TestRefusedPlaces(t *testing.T) {
	const settings = ".claude/settings.json"
	outside := filepath.Join(t.TempDir(), "outside.json")
	put(t, outside, "{}")
	for what, prepare := range map[string]func(root string) error{
		"fifo":      func(root string) error { return syscall.Mkfifo(filepath.Join(root, settings), 0o600) },
		"directory": func(root string) error { return os.Mkdir(filepath.Join(root, settings), 0o700) },
		"read-only": func(root string) error { return os.WriteFile(filepath.Join(root, settings), []byte("{}"), 0o444) },
		"10 MB": func(root string) error {
			return os.WriteFile(filepath.Join(root, settings), []byte(`{"a":"`+strings.Repeat("x", 10<<20)+`"}`), 0o600)
		},
		"invalid UTF-8": func(root string) error {
			return os.WriteFile(filepath.Join(root, settings), []byte("{\"a\":\"\xff\"}"), 0o600)
		},
		"empty": func(root string) error { return os.WriteFile(filepath.Join(root, settings), nil, 0o600) },
		"array": func(root string) error { return os.WriteFile(filepath.Join(root, settings), []byte("[]"), 0o600) },
		"hooks a list": func(root string) error {
			return os.WriteFile(filepath.Join(root, settings), []byte(`{"hooks":[]}`), 0o600)
		},
		"event a text": func(root string) error {
			return os.WriteFile(filepath.Join(root, settings), []byte(`{"hooks":{"SessionStart":"x"}}`), 0o600)
		},
		"group without hooks": func(root string) error {
			return os.WriteFile(filepath.Join(root, settings), []byte(`{"hooks":{"SessionStart":[{"command":"x"}]}}`), 0o600)
		},
		"command a number": func(root string) error {
			return os.WriteFile(filepath.Join(root, settings), []byte(`{"hooks":{"SessionStart":[{"hooks":[{"command":1}]}]}}`), 0o600)
		},
		"dangling link":           func(root string) error { return os.Symlink("/nowhere/at/all", filepath.Join(root, settings)) },
		"loop":                    func(root string) error { return os.Symlink("settings.json", filepath.Join(root, settings)) },
		"link out of the project": func(root string) error { return os.Symlink(outside, filepath.Join(root, settings)) },
		"directory a file": func(root string) error {
			return errors.Join(os.Remove(filepath.Join(root, ".claude")), os.WriteFile(filepath.Join(root, ".claude"), nil, 0o600))
		},
		"someone else's": func(root string) error {
			return errors.Join(os.WriteFile(filepath.Join(root, settings), []byte("{}"), 0o666), os.Chown(filepath.Join(root, settings), 12345, -1))
		},
	} {
		t.Run(what, func(t *testing.T) {
			root := t.TempDir()
			if err := os.Mkdir(filepath.Join(root, ".claude"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := prepare(root); errors.Is(err, os.ErrPermission) {
				t.Skip("only root can make this: ", err)
			} else if err != nil {
				t.Fatal(err)
			}
			before := tree(t, root)
			p := agent.Places{Home: root, Root: root}
			_, errIn := find(t, "claude").Install(p, agent.Project, agent.Command{Program: program})
			_, errOut := find(t, "claude").Uninstall(p, agent.Project, false)
			if what == "directory a file" {
				errOut = errIn // there is nothing to uninstall, or a fault: both are right
			}
			if !errors.Is(errIn, handoff.ErrConfig) || !errors.Is(errOut, handoff.ErrConfig) {
				t.Errorf("install: %v; uninstall: %v", errIn, errOut)
			}
			if after := tree(t, root); after != before {
				t.Errorf("before\n%safter\n%s", before, after)
			}
		})
	}
	if text := string(must(os.ReadFile(outside))); text != "{}" {
		t.Errorf("the file outside is now %q", text)
	}
}

func TestRefusedHomes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "")
	for _, home := range []string{"", "relative", "/nowhere/at/all", file, file + "/below"} {
		if _, err := find(t, "codex").Install(agent.Places{Home: home}, agent.User, agent.Command{Program: program}); !errors.Is(err, handoff.ErrConfig) {
			t.Errorf("%q: %v", home, err)
		}
	}
}

// A dotfile that is a link stays one, and what it leads to keeps its mode; the backup is private and lies
// beside it.
func TestFollowsLinks(t *testing.T) {
	home, dotfiles := t.TempDir(), t.TempDir()
	real := filepath.Join(dotfiles, "claude.json")
	put(t, real, "{\"a\": 1}")
	if err := errors.Join(os.Chmod(real, 0o640), os.Mkdir(filepath.Join(home, ".claude"), 0o755), os.Symlink(real, filepath.Join(home, ".claude/settings.json"))); err != nil {
		t.Fatal(err)
	}
	before := tree(t, home) + tree(t, dotfiles)
	p := agent.Places{Home: home}
	change, err := find(t, "claude").Install(p, agent.User, agent.Command{Program: program})
	apply(t, change, err)
	info, err := os.Stat(real)
	backup, backupErr := os.Stat(real + ".handoff-backup")
	if err != nil || backupErr != nil || info.Mode().Perm() != 0o640 || backup.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v\n%s", err, backupErr, tree(t, dotfiles))
	}
	change, err = find(t, "claude").Uninstall(p, agent.User, false)
	apply(t, change, err)
	if after := tree(t, home) + tree(t, dotfiles); after != before {
		t.Errorf("before\n%safter\n%s", before, after)
	}
}

// An upgrade replaces the entry, wherever somebody moved it, and nothing else; the operator stays.
func TestUpgrade(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".claude/settings.json")
	const text = `{"hooks": {"SessionStart": [
  {"matcher": "startup", "hooks": [
    {"type": "command", "command": "echo one"},
    {"command": "\"/old path/handoff\" hook session-start --agent claude --to=ann", "x": 1},
    {"type": "command", "command": "echo two"} ]},
  {"hooks": [{"command": "C:\\bin\\handoff.exe", "args": ["hook", "session-start"]}]}
]}}`
	put(t, path, text)
	p := agent.Places{Home: home}
	change, err := find(t, "claude").Install(p, agent.User, agent.Command{Program: program})
	if change = apply(t, change, err); change.Status != agent.Updated {
		t.Error(change.Status)
	}
	want := strings.Replace(text, `{"command": "\"/old path/handoff\" hook session-start --agent claude --to=ann", "x": 1}`,
		`{"command": "/usr/bin/handoff", "type": "command", "args": ["hook","session-start","--agent","claude","--to","ann"], "timeout": 5}`, 1)
	want = strings.Replace(want, `,
  {"hooks": [{"command": "C:\\bin\\handoff.exe", "args": ["hook", "session-start"]}]}`, "", 1)
	want = strings.TrimSuffix(want, "]}}") // the other hooks follow
	if got := string(must(os.ReadFile(path))); !strings.HasPrefix(got, want) || strings.Count(got, `"hook",`) != 4 ||
		strings.Count(got, `"--to","ann"`) != 3 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	change, err = find(t, "claude").Uninstall(p, agent.User, false)
	apply(t, change, err)
	if got := string(must(os.ReadFile(path))); strings.Contains(got, "handoff") || !strings.Contains(got, "echo two") || !strings.Contains(got, "matcher") {
		t.Errorf("got\n%s", got)
	}
}

// What is there when nobody knows what was there before: the entry goes, and what is empty without it.
func TestUninstallWithoutBackup(t *testing.T) {
	const entry = `{"command": "handoff hook session-start --agent cursor"}`
	for text, want := range map[string]string{
		`{"version": 1, "hooks": {"sessionStart": [` + entry + `]}}`:                          "",
		`{"hooks": {"sessionStart": [` + entry + `]}}`:                                        "",
		`{"version": 1, "hooks": {"stop": [], "sessionStart": [ ` + entry + " ]}}\n":          "{\"version\": 1, \"hooks\": {\"stop\": []}}\n",
		`{"hooks": {"sessionStart": [ ` + entry + `, {"command": "x"} ]}, "a": 1}`:            `{"hooks": {"sessionStart": [ {"command": "x"} ]}, "a": 1}`,
		`{"hooks": {"sessionStart": [ {"command": "x"} , ` + entry + `, {"command": "y"} ]}}`: `{"hooks": {"sessionStart": [ {"command": "x"}, {"command": "y"} ]}}`,
		`{"hooks": {"sessionStart": [` + entry + `]}, "a": 1}`:                                `{"a": 1}`,
	} {
		home := t.TempDir()
		path := filepath.Join(home, ".cursor/hooks.json")
		put(t, path, text)
		change, err := find(t, "cursor").Uninstall(agent.Places{Home: home}, agent.User, false)
		apply(t, change, err)
		got, err := os.ReadFile(path)
		if string(got) != want || (want == "") != errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s\nbecame %q, %v; want %q", text, got, err, want)
		}
	}
}

// A plan is not carried out on settings that are no longer those that it was made for.
func TestChangedMeanwhile(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".gemini/settings.json")
	put(t, path, `{"a": 1}`)
	change, err := find(t, "gemini").Install(agent.Places{Home: home}, agent.User, agent.Command{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	const changed = `{"a": 1, "b": 2}`
	put(t, path, changed)
	before := tree(t, home)
	if err := change.Apply(); !errors.Is(err, handoff.ErrBusy) || tree(t, home) != before {
		t.Errorf("%v\n%s", err, tree(t, home))
	}
	change, err = find(t, "gemini").Install(agent.Places{Home: home}, agent.User, agent.Command{Program: program})
	apply(t, change, err)
	if text := string(must(os.ReadFile(path))); !strings.Contains(text, `"b": 2`) || !strings.Contains(text, program) {
		t.Error(text)
	}
	change, err = find(t, "gemini").Uninstall(agent.Places{Home: home}, agent.User, false)
	apply(t, change, err)
	if text := string(must(os.ReadFile(path))); text != changed {
		t.Error(text)
	}
}

// An uninstall that was interrupted after the settings were back is finished by the next.
func TestBackupIsTidied(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".claude/settings.json")
	put(t, path, `{"a": 1}`)
	before := tree(t, home)
	p := agent.Places{Home: home}
	change, err := find(t, "claude").Install(p, agent.User, agent.Command{Program: program})
	apply(t, change, err)
	put(t, path, `{"a": 1}`)
	change, err = find(t, "claude").Uninstall(p, agent.User, false)
	if change = apply(t, change, err); change.Status != agent.Absent || tree(t, home) != before {
		t.Errorf("%s:\n%s", change.Status, tree(t, home))
	}
}

func TestManyAtOnce(t *testing.T) {
	home := t.TempDir()
	put(t, filepath.Join(home, ".claude/settings.json"), `{"a": 1}`)
	before := tree(t, home)
	p := agent.Places{Home: home}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			change, err := find(t, "claude").Install(p, agent.User, agent.Command{Program: program, To: fmt.Sprintf("op%d", i%2)})
			if err == nil {
				err = change.Apply()
			}
			if err != nil && !errors.Is(err, handoff.ErrBusy) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if text := string(must(os.ReadFile(filepath.Join(home, ".claude/settings.json")))); strings.Count(text, "/usr/bin/handoff") != hooks["claude"] {
		t.Error(text)
	}
	change, err := find(t, "claude").Uninstall(p, agent.User, false)
	apply(t, change, err)
	if after := tree(t, home); after != before {
		t.Errorf("before\n%safter\n%s", before, after)
	}
}

// Wherever the programs lie, the entry is recognised again and names the operator.
func TestEveryPathIsRecognised(t *testing.T) {
	home := t.TempDir()
	p := agent.Places{Home: home}
	rapid.Check(t, func(t *rapid.T) {
		if err := errors.Join(os.RemoveAll(home), os.Mkdir(home, 0o755)); err != nil { // of a failed check
			t.Fatal(err)
		}
		dir := rapid.StringMatching("/[a-z ;&|<>()`'\"\\\\$~*?\\[\\]{}!#=%éß-]{0,12}").Draw(t, "dir")
		command := agent.Command{Program: dir + "/handoff", To: "ben-2"}
		a, err := agent.Find(rapid.SampledFrom(agent.Installable()).Draw(t, "agent"))
		if err != nil {
			t.Fatal(err)
		}
		change, err := a.Install(p, agent.User, command)
		apply(t, change, err)
		again, err := a.Install(p, agent.User, agent.Command{Program: command.Program})
		if err != nil || again.Status != agent.Present {
			t.Fatalf("%s: %v, %v", command.Program, again.Status, err)
		}
		change, err = a.Uninstall(p, agent.User, false)
		if change = apply(t, change, err); change.Status != agent.Removed || change.Words[0] != command.Program {
			t.Fatalf("%s: %v", change.Status, change.Words)
		}
		_ = filepath.WalkDir(home, func(path string, d os.DirEntry, _ error) error {
			if !d.IsDir() {
				t.Fatalf("left behind: %s", path)
			}
			return nil
		})
	})
}

func TestCodexTakesTwoKeys(t *testing.T) {
	home := t.TempDir()
	put(t, filepath.Join(home, ".codex/hooks.json"), "{\n  \"description\": \"x\",\n  \"other\": 1\n}")
	p := agent.Places{Home: home}
	_, err := find(t, "codex").Install(p, agent.User, agent.Command{Program: program})
	if !errors.Is(err, handoff.ErrConfig) || !strings.Contains(err.Error(), `line 3, column 3: Codex CLI ignores a file with the key "other"`) {
		t.Error(err)
	}
	put(t, filepath.Join(home, ".cursor/hooks.json"), `{"version": 2}`)
	if _, err := find(t, "cursor").Install(p, agent.User, agent.Command{Program: program}); !errors.Is(err, handoff.ErrConfig) {
		t.Error(err)
	}
}

func TestOperatorsAndPrograms(t *testing.T) {
	p := agent.Places{Home: t.TempDir()}
	for _, to := range []string{"a b", "ben; rm", "--to", strings.Repeat("x", 65), "ben\n", "bén"} {
		_, err := find(t, "codex").Install(p, agent.User, agent.Command{Program: program, To: to})
		if to != "--to" && !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", to, err)
		}
	}
	change, err := find(t, "codex").Install(p, agent.User, agent.Command{Program: "/it's a;dir/handoff", To: "ben"})
	if _, _, _, after := change.Texts(); err != nil || !strings.Contains(after, `            "command": "'/it'\\''s a;dir/handoff' hook session-start --agent codex --to ben",`) {
		t.Errorf("%v\n%s", err, after)
	}
}
