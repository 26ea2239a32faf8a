//go:build linux

package faults_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An edit breaks the program on purpose, in one place of one file.
type edit struct{ file, old, new string }

// harms are the ways in which tests break the program. One program is built with all of them, since a build takes
// longer than most tests. It does what the directory in which it lies is named for.
var harms = map[string][]edit{
	"no-body-sync": {{"lib/internal/disk/file.go", "\tif _, err = f.Write(data); err == nil {\n\t\terr = f.Sync()",
		"\tif _, err = f.Write(data); err == nil && !isBroken(\"no-body-sync\") {\n\t\terr = f.Sync()"}},
	"no-log-sync": {{logSource, "\t_, err = l.file.WriteAt(text, l.end)\n\tif err == nil {",
		"\t_, err = l.file.WriteAt(text, l.end)\n\tif err == nil && !isBroken(\"no-log-sync\") {"}},
	"no-rewrite": {{logSource, "if t.head == pin || t.head == Start {",
		"if t.head == pin || t.head == Start || isBroken(\"no-rewrite\") {"}},
	"keeps-incomplete": {{"lib/internal/log/read.go", "i, n := e.part()",
		"i, n := e.part()\n\t\tif isBroken(\"keeps-incomplete\") {\n\t\t\ti, n = 1, 1\n\t\t}"}},
	"cuts-complete": {{logSource, "\tl := &Log{file: file, end: t.end, head: t.head}",
		"\tif isBroken(\"cuts-complete\") && !hasCut && pin != (Point{}) && t.head != pin {\n\t\thasCut = true\n" +
			"\t\tif err := file.Truncate(t.lastAt); err == nil {\n\t\t\treturn Open(file, pin, keep)\n\t\t}\n\t}\n" +
			"\tl := &Log{file: file, end: t.end, head: t.head}"},
		{logSource, "// Head returns the point", "var hasCut bool\n\n// Head returns the point"}},
	"event-first": {{"lib/internal/store/change.go", "\tif err := c.link(); err != nil {\n\t\treturn nil, err\n\t}\n",
		"\tif !isBroken(\"event-first\") {\n\t\tif err := c.link(); err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t}\n"},
		{"lib/internal/store/change.go", "\tc.Facts.Add(made)\n",
			"\tif err := c.link(); err != nil {\n\t\treturn nil, err\n\t}\n\tc.Facts.Add(made)\n"}},
}

const logSource = "lib/internal/log/log.go"

// isBroken is what a package of the broken program has besides.
const isBroken = `package %s

import (
	"os"
	"path/filepath"
)

func isBroken(how string) bool {
	path, _ := os.Executable()
	return filepath.Base(filepath.Dir(path)) == how
}
`

// compile builds the program, or with a name the broken one, which does what the name says.
func compile(t *testing.T, how string) string {
	t.Helper()
	dir := filepath.Join(builds.dir, how)
	bin := filepath.Join(dir, "handoff")
	// what go run links, it keeps for the next time
	args := []string{"run", "-buildvcs=false", "-ldflags=-s -w", "-exec=cp"}
	if how != "" {
		all := filepath.Join(builds.dir, "broken")
		if harms[how] == nil {
			t.Fatalf("no harm is named %s", how)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if os.Link(all, bin) == nil {
			return bin
		}
		args, bin = append(args, "-overlay", overlay(t)), all
	}
	cmd := exec.Command("go", append(args, "./cmd/handoff", bin)...)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if how == "" {
		return bin
	}
	if err := os.Link(bin, filepath.Join(dir, "handoff")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "handoff")
}

// overlay makes the sources of the broken program.
func overlay(t *testing.T) (path string) {
	t.Helper()
	replace := map[string]string{}
	for _, edits := range harms {
		for _, e := range edits {
			source, err := filepath.Abs(filepath.Join(module, e.file))
			if err != nil {
				t.Fatal(err)
			}
			from := source
			if replace[source] != "" {
				from = replace[source]
			}
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(text, []byte(e.old)) != 1 {
				t.Fatalf("%s no longer has once what this test breaks: %q", e.file, e.old)
			}
			replace[source] = filepath.Join(builds.dir, "broken-"+strings.ReplaceAll(e.file, "/", "-"))
			mustWrite(t, replace[source], strings.Replace(string(text), e.old, e.new, 1))
			file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			more := filepath.Join(builds.dir, "more-"+strings.ReplaceAll(filepath.Dir(e.file), "/", "-")+".go")
			mustWrite(t, more, fmt.Sprintf(isBroken, file.Name))
			replace[filepath.Join(filepath.Dir(source), "broken.go")] = more
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(builds.dir, "overlay.json")
	mustWrite(t, path, string(text))
	return path
}
