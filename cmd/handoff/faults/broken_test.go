//go:build linux

package faults_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An edit breaks the program on purpose, in one place of one file.
type edit struct{ file, old, new string }

// harms are the ways in which tests break the program. One program is built with all of them, since a build takes longer
// than most tests. It does what the directory in which it lies is named for; several names are joined with a plus.
var harms = map[string][]edit{
	// What the design needs, each left out.
	"no-sync": {{journalFile, "\tif err := j.Sync(); err != nil {\n\t\treturn j.takeBack",
		"\tsync := j.Sync\n\tif isBroken(\"no-sync\") {\n\t\tsync = func() error { return nil }\n\t}\n\tif err := sync(); err != nil {\n\t\treturn j.takeBack"}},
	"no-text": {{journalFile, "payload := slices.Concat(encode(c)...)",
		"whole := c.Table\n\tif isBroken(\"no-text\") {\n\t\tc.Table = []byte{}\n\t}\n\tpayload := slices.Concat(encode(c)...)\n\tc.Table = whole"}},
	"no-proof": {{recoverFile, "if err := x.checkpoint(want); err != nil {",
		"x.merges = x.merges || isBroken(\"no-proof\")\n\tif err := x.checkpoint(want); err != nil {"},
		{recoverFile, "return x.restoreFiles(story, table, rewrite)",
			"if isBroken(\"no-proof\") && !x.merges { // but recovery proves\n\t\t\treturn nil\n\t\t}\n\t\treturn x.restoreFiles(story, table, rewrite)"}},
	"no-boot": {{"lib/internal/store/view.go", "copy(b[:], h[:])", "if !isBroken(\"no-boot\") {\n\t\tcopy(b[:], h[:])\n\t}"}},
	// A record whose sync has failed is left in the journal.
	"not-taken-back": {{journalFile, "_, err := j.file.WriteAt(make([]byte, headSize), h.offset)",
		"var err error\n\tif !isBroken(\"not-taken-back\") {\n\t\t_, err = j.file.WriteAt(make([]byte, headSize), h.offset)\n\t}"}},
	"no-recovery": {{recoverFile, "if inLine && journal.SumState(x.state)",
		"if isBroken(\"no-recovery\") || inLine && journal.SumState(x.state)"}},
	// Another order of a change.
	"row-before-the-body": {{commitFile, "\tfor i, f := range r.New {\n",
		"\tif isBroken(\"row-before-the-body\") && p.table != nil {\n\t\tif err := p.table.Place(disk.IndexFile); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tp.table = nil\n\t}\n\tfor i, f := range r.New {\n"}},
	"files-before-the-record": {{commitFile, "\tif err := x.j.Append(&c.Record, c.spool); err != nil {\n",
		"\tif isBroken(\"files-before-the-record\") {\n\t\tfor i, f := range c.New {\n\t\t\tif err := x.makeFile(f, p.bodies[i]); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n" +
			"\t\tif err := p.table.Place(disk.IndexFile); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tp.table = nil\n\t}\n\tif err := x.j.Append(&c.Record, c.spool); err != nil {\n"},
		{commitFile, "\tfor i, f := range r.New {\n", "\tfor i, f := range r.New {\n\t\tif isBroken(\"files-before-the-record\") {\n\t\t\tcontinue\n\t\t}\n"}},
	// Takes.
	"a-take-of-what-others-have": {{actFile, "return l.Any || isDead || held.IsOver(c.Time, l.Grace)",
		"if isBroken(\"a-take-of-what-others-have\") {\n\t\treturn held.IsDone() || isDead\n\t}\n\treturn l.Any || isDead || held.IsOver(c.Time, l.Grace)"}},
	"no-fence": {{actFile, "by := l.RevokedBy(c.Operator, c.Session); by.IsDone() {",
		"by := l.RevokedBy(c.Operator, c.Session); by.IsDone() && !isBroken(\"no-fence\") {"}},
}

const (
	commitFile  = "lib/internal/txn/commit.go"
	recoverFile = "lib/internal/txn/recover.go"
	actFile     = "lib/internal/txn/act.go"
	journalFile = "lib/internal/journal/file.go"
)

// isBroken is what a package of the broken program has besides.
const isBroken = `package %s

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func isBroken(how string) bool {
	path, _ := os.Executable()
	return slices.Contains(strings.Split(filepath.Base(filepath.Dir(path)), "+"), how)
}
`

// broken returns the path of the program with these harms.
func broken(t *testing.T, how ...string) string {
	t.Helper()
	for _, name := range how {
		if harms[name] == nil {
			t.Fatalf("no harm is named %s", name)
		}
	}
	all := filepath.Dir(builds.path(t, "all of them", func() string {
		var edits []edit
		for _, of := range harms {
			edits = append(edits, of...)
		}
		return compile(t, edits)
	}))
	return builds.path(t, strings.Join(how, "+"), func() string {
		dir := filepath.Join(filepath.Dir(all), strings.Join(how, "+"))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		bin := filepath.Join(dir, "handoff")
		if err := os.Link(filepath.Join(all, "handoff"), bin); err != nil {
			t.Fatal(err)
		}
		return bin
	})
}

func overlay(t *testing.T, tmp string, edits []edit) string {
	t.Helper()
	replace := make(map[string]string)
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
		replace[source] = filepath.Join(tmp, "broken-"+strings.ReplaceAll(e.file, "/", "-"))
		mustWrite(t, replace[source], strings.Replace(string(text), e.old, e.new, 1))
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		more := filepath.Join(tmp, "more-"+strings.ReplaceAll(filepath.Dir(e.file), "/", "-")+".go")
		mustWrite(t, more, fmt.Sprintf(isBroken, file.Name))
		replace[filepath.Join(filepath.Dir(source), "broken.go")] = more
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(tmp, "overlay.json")
	mustWrite(t, path, string(text))
	return path
}
