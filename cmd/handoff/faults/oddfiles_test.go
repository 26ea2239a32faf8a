//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	mostMemory = 300 << 20 // bytes, at the peak, of any command
	mostText   = 1 << 20   // bytes that a command says about a file
)

// An oddKind is what stands in the place of a file of a store.
type oddKind struct {
	name  string
	often bool // also without HANDOFF_FAULTS, for the files that grow
	put   func(path string) error
}

var oddKinds = []oddKind{
	{"FIFO", false, func(path string) error { return syscall.Mkfifo(path, 0o644) }},
	{"device", false, func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o644, int(unix.Mkdev(1, 5))) }}, // zeros without end
	{"sparse", true, func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 10<<30))
	}},
	{"sparse, begun well", true, func(path string) error { return os.Truncate(path, 10<<30) }}, // the old content, then zeros
	{"line", false, func(path string) error { return putLine(path, "| sha256:0123456789abcdef ", "") }},
	{"line, begun well", false, func(path string) error { return putLine(path, `{"event_type":"handoff.resume" `, "\n") }},
}

// putLine adds a line of 100 MB. It keeps the memory of the test low, which a command that it starts would seem to have.
func putLine(path, piece, end string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	for range 100 {
		_, werr := f.WriteString(strings.Repeat(piece, 1<<20/len(piece)))
		err = errors.Join(err, werr)
	}
	_, werr := f.WriteString(end)
	return errors.Join(err, werr, f.Close())
}

// oddPlaces are the files of a store, of its state and of its project.
var oddPlaces = words(`handoffs/INDEX.md handoffs/INDEX-0001.md handoffs/2026-05-07-ann-ben-b.md handoffs/.INDEX.md.lock
	.run/journal .run/journal.new handoffs/.INDEX.md.swap .run/machine-fingerprint .run/machine-fingerprint.history.jsonl .run/handoff-events.jsonl .run/handoff-events.cross-host-staging.jsonl
	.run/consumed-tokens.jsonl .run/offered.jsonl handoffs/.sig .run/tombstones .run/index-seen .run/operator-keys.json .run/drafts/DRAFT
	.run/.gitignore .handoff.yaml OPERATORS.md .gitignore .gitattributes`)

// commandsOfAll are run in this order: what mends comes last.
func commandsOfAll() [][]string {
	list := [][]string{{"read", idOf("b")}, {"show", idOf("b")}, {"check", idOf("b")}, {"read", "--receipts", idOf("b")}, {"mark-read", idOf("a"), "ben"}}
	for _, line := range strings.Split(`list
list --unread --to ben
search body
surface ben
hook session-start --agent claude --to ben
onboard
draft list
draft save c.md
operators list
operators verify ann
operators validate
log --head
verify --log
machine-fingerprint show
verify
doctor
write c.md
write d.md e.md
create task-1 --summary done --agent agent:codex
mark-read --all --to ben
validate c.md
repair c.md
init
compute-id c.md
export -o out.jsonl
import out.jsonl
machine-fingerprint regenerate --yes --operator ann --reason test
doctor --repair
doctor --rebuild-index
verify`, "\n") {
		list = append(list, words(line))
	}
	return append(list, []string{"resume", idOf("b"), "--operator", "ben"})
}

// Whatever stands in the place of a file, each command ends in time and in little memory, and says so in few words.
func TestOddFiles(t *testing.T) {
	p := program{build(t), t.TempDir()}
	p.oddFiles(t, "", oddPlaces)
	p.oddFiles(t, "git: tracked\n", words("handoffs/INDEX.md handoffs/INDEX-0001.md .run/handoff-events.jsonl .run/machine-fingerprint .run/index-seen"))
}

func (p program) oddFiles(t *testing.T, settings string, places []string) {
	template := p.newSite(t)
	mustWrite(t, filepath.Join(template, ".handoff.yaml"), settings+"index_max_rows: 2\n")
	for _, topic := range words("a b c d e") {
		mustWrite(t, filepath.Join(template, topic+".md"), doc(topic))
	}
	for _, command := range []string{"init", "write a.md", "write b.md", "write d.md", "draft save c.md", "hook session-start --agent claude --to ben"} {
		must(t, template, append([]string{p.bin}, words(command)...)...)
	}
	drafts, err := filepath.Glob(filepath.Join(template, ".run/drafts/*.json"))
	if err != nil || len(drafts) != 1 {
		t.Fatal(drafts, err)
	}
	kept, err := p.kept(filepath.Dir(template))
	if err != nil {
		t.Fatal(err)
	}
	mode := os.Getenv("HANDOFF_FAULTS")
	for _, place := range sampled(places, len(places)/6, settings) {
		place = strings.Replace(place, "DRAFT", filepath.Base(drafts[0]), 1)
		kinds := oddKinds
		if mode == "ci" {
			kinds = some(kinds, 1, settings+place)
		}
		for _, kind := range kinds {
			if mode != "" || kind.often && settings == "" && (strings.Contains(place, "INDEX") || strings.HasSuffix(place, "events.jsonl")) {
				t.Run(settings+kind.name+" as "+place, func(t *testing.T) {
					if err := putBack(filepath.Dir(template), kept); err != nil {
						t.Fatal(err)
					}
					p.withOdd(t, template, place, kind)
				})
			}
		}
	}
}

// withOdd runs every command in the store with that file in it.
func (p program) withOdd(t *testing.T, dir, place string, kind oddKind) {
	path := filepath.Join(dir, place)
	if !strings.Contains(kind.name, "begun") {
		os.RemoveAll(path)
	}
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), kind.put(path))
	if errors.Is(err, unix.EPERM) {
		t.Skip(err) // only root can make a device
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, unix.EISDIR) {
		t.Fatal(err)
	}
	for _, command := range commandsOfAll() {
		p.endsWell(t, dir, command)
	}
}

func (p program) endsWell(t *testing.T, dir string, command []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.bin, command...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, environ(dir), &stdout, &stderr, time.Minute
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // a child begins with the peak of its parent
		t.Fatal(err)
	}
	begin := time.Now()
	err := cmd.Run()
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	peak := usage.Maxrss << 10
	said := stderr.String()
	switch {
	case ctx.Err() != nil:
		t.Errorf("%v does not end", command)
	case !ok || peak > mostMemory:
		t.Errorf("%v takes %d MB in %v: %.300q", command, peak>>20, time.Since(begin), said)
	case stdout.Len() > mostText || stderr.Len() > mostText:
		t.Errorf("%v says %d and %d bytes: %.300q", command, stdout.Len(), stderr.Len(), said)
	case cmd.ProcessState.ExitCode() < 0 || strings.Contains(said, "internal error") || strings.Contains(said, "goroutine "):
		t.Errorf("%v: %v: %.300q", command, err, said)
	case err != nil && !strings.Contains(said, "handoff: "):
		t.Errorf("%v: %v without a sentence: %.300q", command, err, said)
	}
}
