//go:build linux

package faults_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Between an interruption and the recovery people may edit INDEX.md. What is listed stays, and stays whole.
func TestEditedBeforeRecovery(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p := program{build(t), memory(t)}
	write, other := words("write d.md"), words("write e.md")
	three := [][]string{words("write in/a.md in/b.md in/c.md")}
	for _, c := range []struct {
		scenario
		edit func(text string) string
	}{
		{scenario{name: "a formatter widened the table", prepare: three, crashes: []crash{{beforeEvent, write}}},
			func(text string) string {
				return regexp.MustCompile(`(?m)^(\| sha256:\w+) \|`).ReplaceAllString(text, "$1   |")
			}},
		{scenario{name: "a row was broken", prepare: three, crashes: []crash{{beforeEvent, write}}},
			func(text string) string { return strings.Replace(text, "| ann | ben | d |", "| ann | ben |", 1) }},
		{scenario{name: "the links to archives were removed", settings: "index_max_rows: 3\n", prepare: three, crashes: []crash{{beforeEvent, write}}},
			func(text string) string { return regexp.MustCompile(`(?m)^- \[.*\n`).ReplaceAllString(text, "") }},
	} {
		dir := p.store(t, c.scenario)
		index := filepath.Join(dir, "handoffs", "INDEX.md")
		text, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, index, c.edit(string(text)))
		must(t, dir, append([]string{p.bin}, other...)...)
		for _, topic := range words("a b c d") {
			if _, err := os.Stat(filepath.Join(dir, "handoffs", "2026-05-07-ann-ben-"+topic+".md")); err != nil && !(topic == "d" && c.settings != "") {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		must(t, dir, append([]string{p.bin}, write...)...)
		must(t, dir, p.bin, "doctor", "--repair")
		expectListed(t, p, dir, c.name, "a b c d e")
	}
}

// expectListed wants each of the topics listed once.
func expectListed(t *testing.T, p program, dir, name, topics string) {
	t.Helper()
	list := must(t, dir, p.bin, "list", "--format", "ids")
	for _, topic := range words(topics) {
		if n := strings.Count(list, idOf(topic)); n != 1 {
			t.Errorf("%s: %s is listed %d times", name, topic, n)
		}
	}
}

// A row that stands twice does not hide that a rotation was done.
func TestRotationOfARowThatStandsTwice(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p := program{build(t), memory(t)}
	twice := func(dir string) error {
		path := filepath.Join(dir, "handoffs", "INDEX.md")
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		row := regexp.MustCompile(`(?m)^\| sha256:.*\n`).Find(text)
		return os.WriteFile(path, append(text, row...), 0o644)
	}
	dir := p.store(t, scenario{name: "rotation", settings: "index_max_rows: 4\n", prepare: [][]string{words("write in/a.md in/b.md in/c.md")},
		damage: twice, crashes: []crash{{beforeEvent, words("write d.md")}}})
	must(t, dir, p.bin, "write", "d.md")
	must(t, dir, p.bin, "write", "e.md")
	expectListed(t, p, dir, "a row twice", "a b c d e")
	must(t, dir, p.bin, "verify")
}

// What people save in INDEX.md while a command is under way is not lost, whether before or after its record is made, and
// the command is done all the same.
func TestEditedMeanwhile(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	for _, at := range []string{beforeRecord, beforeSync, beforeBodies, beforeTable, beforeSwap, beforeEvent} {
		p, dir := newStore(t)
		goOn := p.stopped(t, dir, at, "write", "d.md")
		index := filepath.Join(dir, "handoffs", "INDEX.md")
		text, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, index, string(text)+"\nAsk ann first.\n")
		if r := goOn(); r.code != 0 {
			t.Errorf("%s: exit code %d: %s", nameOf(at), r.code, r.stderr)
		}
		must(t, dir, p.bin, "write", "e.md")
		if text, err := os.ReadFile(index); err != nil || !strings.Contains(string(text), "\nAsk ann first.\n") {
			t.Errorf("%s: the note is gone: %s, %v", nameOf(at), text, err)
		}
		expectListed(t, p, dir, nameOf(at), "a b c d e")
		must(t, dir, p.bin, "verify")
	}
}

// A note that names a file is no row: what was not published goes, and nothing is in the way of the repeat.
func TestNoteNamesAnUnpublishedFile(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p := program{build(t), memory(t)}
	note := func(dir string) error {
		path := filepath.Join(dir, "handoffs", "INDEX.md")
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, append(text, "\nexpecting 2026-05-07-ann-ben-d.md, see INDEX-0001.md later\n"...), 0o644))
	}
	for _, settings := range []string{"", "index_max_rows: 3\n"} {
		dir := p.store(t, scenario{name: "write", settings: settings, prepare: [][]string{words("write in/a.md in/b.md in/c.md")},
			damage: note, crashes: []crash{{beforeRecord, words("write d.md")}}})
		must(t, dir, p.bin, "write", "e.md")
		if _, err := os.Stat(filepath.Join(dir, "handoffs", "2026-05-07-ann-ben-d.md")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the body of what was not published: %v", err)
		}
		must(t, dir, p.bin, "write", "d.md")
		must(t, dir, p.bin, "verify")
	}
}

// A row that was lost comes back with a write of its document, also when that is interrupted.
func TestInterruptedReturnOfARow(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p := program{build(t), memory(t)}
	write := words("write d.md")
	for _, at := range []string{beforeDraft, beforeAnew, beforeJournal, beforeTable, beforeSwap} {
		dir := p.store(t, scenario{name: at, prepare: [][]string{words("write in/a.md in/b.md in/c.md"), write},
			damage: edited(indexFile, without("| d |")), crashes: []crash{{at, write}}})
		must(t, dir, p.bin, "write", "e.md")
		must(t, dir, append([]string{p.bin}, write...)...)
		expectClean(t, p, dir, "a b c d e")
	}
}

// A resume whose mark waits while INDEX.md is edited is done once its token is consumed.
func TestResumeOfAnEditedIndex(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p := program{build(t), memory(t)}
	var sc scenario
	for _, s := range scenarios() {
		if s.name == "resume" {
			sc = s
		}
	}
	dir := p.store(t, sc)
	goOn := p.stopped(t, dir, `pwrite64\(`, sc.command...)
	index := filepath.Join(dir, "handoffs", "INDEX.md")
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, index, string(text)+"\nAsk ann first.\n")
	if r := goOn(); r.code != 0 {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if text, err := os.ReadFile(index); err != nil || !strings.Contains(string(text), "\nAsk ann first.\n") {
		t.Errorf("the note is gone: %s, %v", text, err)
	}
	must(t, dir, p.bin, "verify")
}
