//go:build unix

package probe_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/probe"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// project returns a root with a definition.
func project(t testing.TB, definition string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, probe.Name), definition)
	return root
}

func mustRead(t testing.TB, root string) *probe.Definition {
	t.Helper()
	d, err := probe.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRead(t *testing.T) {
	d := mustRead(t, project(t, "\ufeffprobes:\r\n  test: {argv: [go, test, ./...], timeout: 10m}\r\n  lint:\r\n    argv:\r\n      - ./lint\r\n      - \"\"\r\n"))
	if len(d.Probes) != 2 {
		t.Fatalf("%+v", d.Probes)
	}
	test, lint := d.Probes[0], d.Probes[1]
	if test.Name != "test" || !slices.Equal(test.Argv, []string{"go", "test", "./..."}) || test.Timeout != 10*time.Minute {
		t.Errorf("%+v", test)
	}
	if lint.Name != "lint" || !slices.Equal(lint.Argv, []string{"./lint", ""}) || lint.Timeout != 10*time.Minute {
		t.Errorf("%+v", lint)
	}
	if _, err := d.Find("tset"); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("%v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "no mapping": "- a\n", "another key": "tests: {}\n", "one key more": "probes: {a: {argv: [a]}}\nallowed: true\n", "no probe": "probes: {}\n",
		"list": "probes: [a]\n", "no argv": "probes: {a: {timeout: 1m}}\n", "a command line": "probes: {a: {argv: go test}}\n", "no word": "probes: {a: {argv: []}}\n",
		"empty program": "probes: {a: {argv: ['']}}\n", "number": "probes: {a: {argv: [sleep, 1]}}\n", "nested": "probes: {a: {argv: [[a]]}}\n", "null": "probes: {a: {argv: [a, ~]}}\n",
		"shell": "probes: {a: {argv: [a], shell: true}}\n", "name": "probes: {'a b': {argv: [a]}}\n", "long name": "probes: {" + strings.Repeat("a", 65) + ": {argv: [a]}}\n",
		"twice": "probes: {a: {argv: [a]}, a: {argv: [b]}}\n", "alias": "probes: {a: &x {argv: [a]}, b: *x}\n", "tag": "probes: {a: {argv: [!!binary aGk=]}}\n",
		"merge": "probes: {a: {argv: [a]}, b: {<<: {argv: [a]}}}\n", "second document": "probes: {a: {argv: [a]}}\n---\nprobes: {}\n", "hidden": "probes: {a: {argv: [a\u2028b]}}\n",
		"NUL": "probes: {a: {argv: [\"a\\0b\"]}}\n", "no time": "probes: {a: {argv: [a], timeout: soon}}\n", "no end": "probes: {a: {argv: [a], timeout: 0s}}\n",
		"too long": "probes: {a: {argv: [a], timeout: 100h}}\n", "zeros": strings.Repeat("\x00", 100), "many": "probes: {a: {argv: [" + strings.Repeat("a, ", 300) + "a]}}\n",
		"bomb": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a]\nprobes: *b\n", "deep": "probes: " + strings.Repeat("[", 20000) + "\n",
	} {
		d, err := probe.Read(project(t, text))
		if !errors.Is(err, fault.ErrConfig) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	if _, err := probe.Read(project(t, "probes: {a: {argv: [a]}}\n#"+strings.Repeat("x", 1<<20))); !errors.Is(err, fault.ErrDenied) {
		t.Errorf("too large: %v", err)
	}
}

// What stands in the place of the file is not followed, waited for, or run if it is somebody else's.
func TestReadRefusesPlaces(t *testing.T) {
	good := "probes: {a: {argv: [a]}}\n"
	outside := filepath.Join(t.TempDir(), "x.yaml")
	write(t, outside, good)
	for name, put := range map[string]func(path string) error{
		"symbolic link": func(path string) error { return os.Symlink(outside, path) },
		"FIFO":          func(path string) error { return unix.Mkfifo(path, 0o600) },
		"directory":     func(path string) error { return os.Mkdir(path, 0o700) },
		"somebody else's": func(path string) error {
			if os.Geteuid() != 0 {
				return errors.Join(os.Symlink(outside, path)) // nobody else can be had
			}
			return errors.Join(os.WriteFile(path, []byte(good), 0o644), os.Chown(path, 65534, 65534))
		},
	} {
		path := filepath.Join(t.TempDir(), probe.Name)
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		if d, err := probe.Read(filepath.Dir(path)); !errors.Is(err, fault.ErrDenied) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	if _, err := probe.Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if os.Geteuid() == 0 {
		root := project(t, good)
		if err := os.Chown(root, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if _, err := probe.Read(root); !errors.Is(err, fault.ErrDenied) {
			t.Errorf("a project of somebody else: %v", err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("probes: {a: {argv: [a, b], timeout: 90s}}\n")
	f.Add("probes:\n  a:\n    argv: ['x']\n")
	root := project(f, "")
	f.Fuzz(func(t *testing.T, text string) {
		write(t, filepath.Join(root, probe.Name), text)
		d, err := probe.Read(root)
		if err != nil {
			return
		}
		for _, p := range d.Probes {
			if p.Name == "" || len(p.Argv) == 0 || p.Argv[0] == "" || p.Timeout <= 0 {
				t.Fatalf("%q gave %+v", text, p)
			}
		}
	})
}
