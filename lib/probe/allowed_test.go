//go:build unix

package probe_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/probe"
)

const definition = "probes: {test: {argv: [sh, -c, \"exit 0\"]}}\n"

var now = time.Date(2026, 5, 8, 12, 0, 0, 0, time.UTC)

func state(t testing.TB) probe.Allowed {
	return probe.Allowed{Dir: filepath.Join(t.TempDir(), "state/handoff"), Secret: secretOf("mine")}
}

// secretOf is a user with a secret.
func secretOf(text string) func(bool) ([]byte, error) {
	return func(bool) ([]byte, error) { return []byte(text), nil }
}

// fileIn returns the only file of what was allowed.
func fileIn(t *testing.T, a probe.Allowed) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(a.Dir, "allowed-probes-*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

func TestAllowed(t *testing.T) {
	a, root := state(t), project(t, definition)
	d := mustRead(t, root)
	if err := a.Check(d); !errors.Is(err, fault.ErrDenied) {
		t.Errorf("before: %v", err)
	}
	if err := a.Allow(d, now); err != nil {
		t.Fatal(err)
	}
	if since, err := a.Since(mustRead(t, root)); err != nil || since != "2026-05-08T12:00:00Z" {
		t.Errorf("%q, %v", since, err)
	}
	for i := range definition { // each byte counts
		text := []byte(definition)
		text[i] ^= 1
		if err := a.Check(&probe.Definition{Path: d.Path, Text: text}); !errors.Is(err, fault.ErrDenied) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := a.Check(&probe.Definition{Path: d.Path + "x", Text: d.Text}); !errors.Is(err, fault.ErrDenied) {
		t.Errorf("elsewhere: %v", err)
	}

	// What was allowed before is no longer, and another project is none of this one's.
	other := mustRead(t, project(t, definition))
	if err := a.Allow(other, now); err != nil {
		t.Fatal(err)
	}
	changed := &probe.Definition{Path: d.Path, Text: []byte(definition + "#\n")}
	if err := a.Allow(changed, now); err != nil {
		t.Fatal(err)
	}
	if a.Check(d) == nil || a.Check(changed) != nil || a.Check(other) != nil {
		t.Error("not what was allowed last is allowed")
	}
	if was, err := a.Forget(d); err != nil || !was || a.Check(changed) == nil || a.Check(other) != nil {
		t.Errorf("forget: %t, %v", was, err)
	}
	if was, err := a.Forget(d); err != nil || was {
		t.Errorf("forget again: %t, %v", was, err)
	}
	if was, err := state(t).Forget(d); err != nil || was {
		t.Errorf("forget nothing: %t, %v", was, err)
	}
}

// What allows lies outside of the project, and is the caller's alone.
func TestAllowedRefuses(t *testing.T) {
	root := project(t, definition)
	d := mustRead(t, root)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, filepath.Join(root, "state"), filepath.Join(root, "..", filepath.Base(root), "a/b"), link, filepath.Join(link, "state")} {
		a := probe.Allowed{Dir: dir, Secret: secretOf("mine")}
		if err := errors.Join(a.Allow(d, now)); !errors.Is(err, fault.ErrDenied) {
			t.Errorf("%s: %v", dir, err)
		}
		if _, err := a.Since(d); !errors.Is(err, fault.ErrDenied) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := (probe.Allowed{}).Check(d); !errors.Is(err, fault.ErrConfig) {
		t.Errorf("no state: %v", err)
	}

	a := state(t)
	if err := a.Allow(d, now); err != nil {
		t.Fatal(err)
	}
	file := fileIn(t, a)
	for name, spoil := range map[string]func() error{
		"others may write": func() error { return os.Chmod(file, 0o622) },
		"others may read":  func() error { return os.Chmod(file, 0o644) },
		"a link": func() error {
			return errors.Join(os.Rename(file, file+"-"), os.Symlink(file+"-", file))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if err := a.Check(d); !errors.Is(err, fault.ErrDenied) {
			t.Errorf("%s: %v", name, err)
		}
		if err := errors.Join(os.RemoveAll(a.Dir), a.Allow(d, now), a.Check(d)); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

func TestAllowAtOnce(t *testing.T) {
	a := state(t)
	var all []*probe.Definition
	var wg sync.WaitGroup
	for i := range 8 {
		d := &probe.Definition{Path: fmt.Sprintf("/nowhere/%d/%s", i, probe.Name), Text: []byte(definition)}
		all = append(all, d)
		wg.Go(func() {
			if err := a.Allow(d, now); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, d := range all {
		if err := a.Check(d); err != nil {
			t.Error(err)
		}
	}
}

// What somebody without the secret has written allows nothing, and says so: another line, no proof, another secret, none.
func TestAllowedIsProven(t *testing.T) {
	a, root := state(t), project(t, definition)
	d := mustRead(t, root)
	if err := a.Allow(d, now); err != nil {
		t.Fatal(err)
	}
	path := fileIn(t, a)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(strings.Fields(string(good))[:2], " ") + "\n"
	for what, text := range map[string]string{
		"a byte": strings.Replace(string(good), "2026", "2025", 1), "a line more": line + string(good), "no proof": line, "behind it": string(good) + line, "nothing": "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := a.Check(d); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v", what, err)
		}
		if err := a.Allow(d, now); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s was written over: %v", what, err)
		}
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, secret := range map[string]func(bool) ([]byte, error){"another": secretOf("another"), "none": func(bool) ([]byte, error) { return nil, fs.ErrNotExist }} {
		if err := (probe.Allowed{Dir: a.Dir, Secret: secret}).Check(d); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := a.Check(d); err != nil {
		t.Error(err)
	}
}

// A program of the project that is found in PATH is bound too.
func TestAllowedBindsProgramsInPath(t *testing.T) {
	a, root := state(t), project(t, "probes: {test: {argv: [tested]}}\n")
	t.Setenv("PATH", filepath.Join(root, "bin"))
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(root, "bin", "tested"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("#!/bin/sh\n")
	if err := errors.Join(a.Allow(mustRead(t, root), now), a.Check(mustRead(t, root))); err != nil {
		t.Fatal(err)
	}
	write("#!/bin/sh\ncurl evil\n")
	if err := a.Check(mustRead(t, root)); !errors.Is(err, fault.ErrDenied) {
		t.Error(err)
	}
}

// What is allowed is allowed for the files of the project that it names, however it names them; other files may change.
func TestAllowedBindsFiles(t *testing.T) {
	for name, of := range map[string]struct {
		argv  string
		bound bool
	}{
		"a word":                {`[sh, scripts/test.sh]`, true},
		"the program":           {`[./scripts/test.sh]`, true},
		"a flag":                {`[sh, --rcfile=scripts/test.sh]`, true},
		"a line for a shell":    {`[sh, -c, "cd . && ./scripts/test.sh; true"]`, true},
		"through a link":        {`[sh, link.sh]`, true},
		"not there yet":         {`[sh, scripts/later.sh]`, true},
		"climbs and comes back": {`[sh, scripts/../scripts/test.sh]`, true},
		"another":               {`[sh, scripts/other.sh]`, false},
		"what a test writes":    {`[sh, -c, "date >report.xml", --junitxml=report.xml]`, false},
		"executable":            {`[env, A=b, sh, scripts/plain]`, true},
		"no ending, by #!":      {`[env, A=b, sh, scripts/marked]`, true},
		"a directory":           {`[ls, scripts]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, root := state(t), project(t, "probes: {test: {argv: "+of.argv+"}}\n")
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Mkdir(filepath.Join(root, "scripts"), 0o755), os.Symlink("scripts/test.sh", filepath.Join(root, "link.sh"))); err != nil {
				t.Fatal(err)
			}
			write("scripts/test.sh", "true\n")
			write("scripts/other.sh", "true\n")
			write("scripts/plain", "true\n")
			for name, text := range map[string]string{"report.xml": "", "scripts/marked": "#!/bin/sh\n"} {
				if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			d := mustRead(t, root)
			if err := a.Allow(d, now); err != nil {
				t.Fatal(err)
			}
			if err := a.Check(mustRead(t, root)); err != nil || d.Changed() != "" {
				t.Errorf("as it was: %v", err)
			}
			write("scripts/test.sh", "curl evil\n")
			write("scripts/later.sh", "curl evil\n")
			write("scripts/plain", "curl evil\n")
			write("scripts/marked", "#!/bin/sh\ncurl evil\n")
			if err := os.WriteFile(filepath.Join(root, "report.xml"), []byte("<a/>"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := a.Check(mustRead(t, root)); errors.Is(err, fault.ErrDenied) != of.bound || (d.Changed() == "") == of.bound {
				t.Errorf("changed: %v, %q", err, d.Changed())
			}
		})
	}
}
