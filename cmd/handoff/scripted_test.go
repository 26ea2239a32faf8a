//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A scripted is a project in which commands are run with --json, and what they print is held against the schema.
type scripted struct {
	*testing.T
	root    string
	env     map[string]string
	machine string
	later   time.Duration // than it is
	defs    *jsonschema.Compiler
	tested  map[string]bool
}

func newScripted(t *testing.T) *scripted {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	file, err := os.Open("../../schema/output-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	source, err := jsonschema.UnmarshalJSON(file)
	if err == nil {
		err = c.AddResource("handoff:///output", source)
	}
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	t.Chdir(root)
	return &scripted{T: t, root: root, env: map[string]string{"HOME": t.TempDir(), "PATH": os.Getenv("PATH"), "HANDOFF_OPERATOR": "ben"}, machine: "one", defs: c, tested: map[string]bool{}}
}

// run runs a command and returns its exit code and what it printed.
func (s *scripted) run(stdin io.Reader, stderr io.Writer, args ...string) (int, string) {
	var out bytes.Buffer
	code := cli.Run(cli.Env{
		Args: append(args, "--json"), Stdin: stdin, Stdout: &out, Stderr: stderr,
		Getenv: func(name string) string { return s.env[name] }, Getwd: func() (string, error) { return s.root, nil },
		Patience:   time.Minute,
		Executable: func() (string, error) { return filepath.Join(scripts.in(s.T), "handoff"), nil },
		Options: func(o *handoff.Options) {
			o.Now = func() time.Time { return time.Now().Add(s.later) }
			o.Fingerprint = func() (string, error) { return fmt.Sprintf("%064x", []byte(s.machine)), nil }
		},
	}, command.Program())
	return code, out.String()
}

// prints runs a command that exits with 0 and prints what its definition says; it returns the first value.
func (s *scripted) prints(stdin, command string, args ...string) map[string]any {
	s.Helper()
	var said bytes.Buffer
	code, out := s.run(strings.NewReader(stdin), &said, append(strings.Fields(command), args...)...)
	if code != 0 {
		s.Errorf("%s %q exits with %d: %s", command, args, code, said.String())
	}
	return s.fits(command, out)
}

// named is prints, and returns what the first value has under a name.
func (s *scripted) named(name, stdin, command string, args ...string) string {
	s.Helper()
	value, ok := s.prints(stdin, command, args...)[name].(string)
	if !ok {
		s.Fatalf("%s: no %s", command, name)
	}
	return value
}

// fits holds each value of a text against a definition.
func (s *scripted) fits(name, text string) (first map[string]any) {
	s.Helper()
	s.tested[name] = true
	def, err := s.defs.Compile("handoff:///output#/$defs/" + strings.ReplaceAll(name, " ", "%20"))
	if err != nil {
		s.Fatal(err)
	}
	values := json.NewDecoder(strings.NewReader(text))
	values.UseNumber()
	for n := 0; ; n++ {
		var value any
		if err := values.Decode(&value); err != nil {
			if !errors.Is(err, io.EOF) || n == 0 {
				s.Errorf("%s: %v after %d values: %q", name, err, n, text)
			}
			return first
		}
		if err := def.Validate(value); err != nil {
			s.Errorf("%s: %v\n%s", name, err, text)
		}
		if n == 0 {
			first, _ = value.(map[string]any)
		}
	}
}

func (s *scripted) file(name, text string) string {
	s.Helper()
	path := filepath.Join(s.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
		s.Fatal(err)
	}
	return path
}

func (s *scripted) exec(name string, args ...string) {
	s.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		s.Fatalf("%s: %v\n%s", name, err, out)
	}
}
