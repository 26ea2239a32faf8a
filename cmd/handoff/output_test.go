//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

// printsNone are the commands that print nothing for scripts, or the format of another program, or need a terminal.
var printsNone = []string{"completion", "demo", "help", "hook", "inbox", "mcp", "operators trust", "watch"}

func document(topic, reference string) string {
	return fmt.Sprintf("---\nschema_version: \"1.0\"\nfrom: ann\nto: ben\ntopic: %s\nts_utc: %q\nreferences: [%s]\n---\n# One\n\nbody\n", topic, hourAgo(), reference)
}

func hourAgo() string { return time.Now().Add(-time.Hour).UTC().Format(time.RFC3339) }

// TestOutputs holds what each command prints with --json against its definition in the schema, and an error too.
func TestOutputs(t *testing.T) {
	s := newScripted(t)
	s.prints("", "init", "--git", "none")
	s.file("note.md", document("note", ""))
	id := s.named("handoff_id", "", "write", "note.md")
	s.reading(id)
	s.working(id)
	s.records()
	s.operators()
	s.signs()
	s.store()
	s.error()
	commands(cli.Root(command.Program()), func(name string) {
		if s.tested[name] == slices.ContainsFunc(printsNone, func(w string) bool { return name == w || strings.HasPrefix(name, w+" ") }) {
			t.Errorf("%s: tested %v, which its definition or the list of those without JSON contradicts", name, s.tested[name])
		}
	})
}

// commands calls f with each command that does something.
func commands(cmd *cobra.Command, f func(name string)) {
	for _, sub := range cmd.Commands() {
		commands(sub, f)
		if !sub.HasSubCommands() {
			_, name, _ := strings.Cut(sub.CommandPath(), " ")
			f(name)
		}
	}
}

func (s *scripted) reading(id string) {
	s.prints("", "list")
	s.prints("", "next")
	s.prints("", "status")
	s.prints("", "whoami")
	s.prints("", "version")
	s.prints("", "surface", "ben")
	s.prints("", "read", id)
	s.prints("", "search", "body")
	s.prints("", "compute-id", "note.md")
	s.prints("yes", "reply", id, "-")
	s.prints("# newer\n", "supersede", id, "-", "--topic", "newer")
	s.env["EDITOR"] = s.file("editor", "#!/bin/sh\necho words >>\"$1\"\n")
	s.prints("", "new", "--to", "ben", "--topic", "by-hand")
}

func (s *scripted) working(id string) {
	s.file("work.md", document("work", ""))
	work := s.named("handoff_id", "", "write", "work.md")
	for _, act := range []string{"take", "release", "take", "done", "archive"} {
		s.prints("", act, work)
	}
	s.prints("", "archive", "--undo", work)
	s.prints("", "done", "--undo", work)
	s.prints("", "log", work)
	early := s.named("handoff_id", "sent too early\n", "write", "-", "--to", "cy", "--topic", "early")
	s.prints("", "withdraw", early)
	s.prints("", "log", early)
	asked := s.named("handoff_id", "a question\n", "write", "-", "--from", "cy", "--to", "ann", "--topic", "question")
	s.prints("", "take", asked, "--for", "1h", "--operator", "ann")
	s.prints("", "status")
	s.prints("", "next")
	s.prints("an answer\n", "done", asked, "--reply", "-", "--operator", "ann")
	s.prints("", "log", asked)
	s.prints("", "list", "--all")
	s.prints("", "mark-read", id)
	s.prints("", "mark-read", "--undo", id)
}

func (s *scripted) records() {
	s.file("packet.json", `{"objective": "Move the invoices to the new database", "completed": ["The schema is translated"], "unresolved": ["The export reads the old one"],
		"assumptions": ["The window on Saturday stands"], "next_action": "Ask ann who owns the export", "risks": ["Rows may be lost in the switch"], "updated_at": "`+hourAgo()+`", "resume_token": "a-token-0001"}`)
	packet := s.named("handoff_id", "", "write", "packet.json", "--from", "ann", "--to", "ben", "--topic", "packet")
	s.prints("", "check", packet)
	s.prints("", "check", packet, "packet.json")
	s.prints("", "resume", packet)
	if code, out := s.run(strings.NewReader(""), io.Discard, "resume", packet); code != 0 || s.fits("resume", out)["again"] != true {
		s.Errorf("its holder cannot resume it again: %d, %s", code, out)
	}
	s.prints("", "create", "task-1", "--project", "p", "--summary", "done", "--test-run", "go=passed")
	s.prints("", "onboard", "--project", "p")
	chain := s.named("handoff_id", "", "create", "--kind", "universal", "--from", "a", "--to", "b", "--workflow", "wf-1", "--phase", "p", "--summary", "s")
	s.prints("", "show", chain)
	s.prints("", "show", chain, "--export")
	s.prints("", "validate", chain)
	s.prints("", "validate", chain, chain)
	_, shown := s.run(strings.NewReader(""), io.Discard, "show", chain)
	s.prints("", "validate", "--fix", s.file("universal.json", shown))
}

func (s *scripted) operators() {
	for _, name := range []string{"ann", "ben", "cy"} {
		s.prints("", "operators add", name)
	}
	s.prints("", "operators list")
	s.prints("", "operators validate")
	s.prints("", "operators verify", "ben")
	s.prints("", "install", "claude", "--operator", "ben")
	s.prints("", "install", "claude", "--undo")
}

func (s *scripted) signs() {
	key := filepath.Join(s.root, "key")
	s.exec("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	s.prints("# Signed\n", "write", "-", "--to", "ben", "--sign="+key)
}

func (s *scripted) store() {
	s.prints("", "verify")
	s.prints("", "verify", "--repair")
	s.prints("", "doctor")
	s.prints("", "verify --log")
	s.prints("", "log --head")
	s.prints("", "export", "-o", filepath.Join(s.root, "all.handoffs"))
	s.prints("", "import", filepath.Join(s.root, "all.handoffs"))
	hub := filepath.Join(s.root, "hub.git")
	s.exec("git", "init", "-q", "--bare", hub)
	s.exec("git", "init", "-q", s.root)
	s.exec("git", "-C", s.root, "remote", "add", "origin", hub)
	s.prints("", "sync")
	s.prints("", "page", "-o", filepath.Join(s.root, "site"))
	s.prints("", "machine-fingerprint show")
	s.machine = "two"
	s.prints("", "machine-fingerprint regenerate", "--operator", "ben", "--reason", "moved", "--add", "--yes")
}

// error makes one with a place, and one without.
func (s *scripted) error() {
	s.file("bad.md", "---\nschema_version: \"1.0\"\nfrom: 7\n---\n")
	for _, line := range []string{"write bad.md", "read 0123456789", "list --no-such-flag", "nonsense"} {
		var said bytes.Buffer
		code, out := s.run(strings.NewReader(""), &said, strings.Fields(line)...)
		told := s.fits("error", said.String())
		if inner, _ := told["error"].(map[string]any); code == 0 || out != "" || fmt.Sprint(inner["code"]) != fmt.Sprint(code) {
			s.Errorf("%s exits with %d, prints %q and says %v", line, code, out, told)
		}
	}
}
