//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

// changing are the commands that may change something.
var changing = []string{"write", "surface", "sync", "import", "reply", "supersede", "mark-read", "take", "release", "done", "withdraw", "archive", "hook session-start", "hook session-end", "hook prompt", "hook tool",
	"operators add", "operators trust", "machine-fingerprint regenerate", "init", "inbox", "new",
	"resume", "create", "install", "mcp"}

// readers are all other commands, each with its lines: ID, PACKET and OUT stand for a handoff, a packet and a directory
// elsewhere.
var readers = map[string][]string{
	"compute-id":               {"compute-id in/signed.md"},
	"show":                     {"show PACKET"},
	"validate":                 {"validate PACKET"},
	"onboard":                  {"onboard"},
	"log":                      {"log ID", "log --head"},
	"list":                     {"list", "list --unread", "list --state expired", "list --all", "list --tag ci"},
	"search":                   {"search green"},
	"read":                     {"read ID", "read ID --agent", "read ID --raw"},
	"next":                     {"next"},
	"operators":                {"operators list"},
	"operators list":           {"operators list"},
	"operators verify":         {"operators verify ann"},
	"operators validate":       {"operators validate"},
	"machine-fingerprint":      {"machine-fingerprint show"},
	"machine-fingerprint show": {"machine-fingerprint show"},
	"whoami":                   {"whoami"},
	"status":                   {"status", "status --short"},
	"version":                  {"version"},
	"help":                     {"help all", "help agents"},
	"verify":                   {"verify", "verify ID", "verify --log"},
	"doctor":                   {"doctor"},
	"check":                    {"check ID", "check PACKET", "check PACKET --max-age 99999h"},
	"export":                   {"export -o OUT/bundle"},
	"page":                     {"page -o OUT/page"},
	"watch":                    nil, // it waits; what it looks at is what list does
	"hook":                     {"help hook"},
	"completion":               {"completion bash", "__complete read a", "__complete list --to b", "__complete list --tag c"},
	"demo":                     {"demo"},
	"completion bash":          {"completion bash"},
	"completion fish":          {"completion fish"},
	"completion powershell":    {"completion powershell"},
	"completion zsh":           {"completion zsh"},
}

// What a command that reads finds is as it was: no byte, no time, no name of the project and of the user's files is another
// one afterwards. So it is where a killed command left something, and where what is derived is gone.
func TestReadersChangeNothing(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen makes the signatures")
	}
	s := newScripted(t)
	user, out := t.TempDir(), t.TempDir()
	s.env["HOME"], s.env["XDG_STATE_HOME"], s.env["XDG_CONFIG_HOME"] = user, filepath.Join(user, "state"), filepath.Join(user, "config")
	id, packet := s.grown()
	values := strings.NewReplacer("ID", id, "PACKET", packet, "OUT", out)
	read := func(line string, codes ...int) {
		t.Helper()
		before := snapshot(t, s.root, user)
		var said bytes.Buffer
		if code, _ := s.run(strings.NewReader(""), &said, strings.Fields(values.Replace(line))...); !slices.Contains(codes, code) {
			t.Errorf("%s exits with %d: %s", line, code, said.String())
		}
		after := snapshot(t, s.root, user)
		for path := range after {
			if before[path] == "" {
				before[path] = "was not there"
			}
		}
		for path, was := range before {
			if was != after[path] {
				t.Errorf("%s changed %s:\n%s\n%s", line, path, was, after[path])
			}
		}
	}
	readAll := func(codes ...int) {
		all(cli.Root(command.Program()), func(name string, cmd *cobra.Command) {
			lines, reads := readers[name]
			if !reads && !slices.Contains(changing, name) && !cmd.HasSubCommands() {
				t.Errorf("%s: say in this test whether it only reads", name)
			}
			for _, line := range lines {
				read(line, codes...)
			}
		})
	}
	readAll(0, 7, 10, 11)
	log := filepath.Join(s.root, ".run", "handoff-events.jsonl")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	s.file(".run/handoff-events.jsonl", string(text)+`{"event_type":"hand`)
	s.file("handoffs/.tmp-0123456789abcdef", "half")
	if err := errors.Join(os.Remove(filepath.Join(s.root, "handoffs", "INDEX.md")), os.RemoveAll(filepath.Join(user, "state"))); err != nil {
		t.Fatal(err)
	}
	readAll(0, 7, 10, 11)
	s.file(".run/handoff-events.jsonl", "no event\n"+string(text))
	readAll(0, 2, 6, 7, 10, 11)
}

// snapshot returns what can be told of each file below some directories.
func snapshot(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			isUsers := strings.Contains(path, filepath.Join("state", "handoff")) || path == filepath.Join(dir, "state")
			if path == dir || isUsers && (e.IsDir() || strings.HasPrefix(e.Name(), "note-")) {
				return nil // what was shown is noted in the state of the user
			}
			text := []byte(nil)
			if info.Mode().IsRegular() {
				if text, err = os.ReadFile(path); err != nil {
					return err
				}
			}
			found[path] = fmt.Sprintf("%v %d %v %x", info.Mode(), info.Size(), info.ModTime(), sha256.Sum256(text))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// grown makes a store in which there is something of everything, some of which readers could want to remember: a signature
// that was stored before its key was listed, a hundred packets, what was taken, archived, read, superseded and has expired.
func (s *scripted) grown() (id, packet string) {
	s.Helper()
	s.file(".handoff.yaml", "")
	s.exec("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", "key")
	signed := s.file("in/signed.md", sourceText("signed", "tags: ['ci']\n", "Tests are green."))
	id = s.named("handoff_id", "", "write", signed, "--sign=key")
	packet = s.named("handoff_id", "", "write", s.file("packet.json", strings.ReplaceAll(packetText, "TOKEN", "token-number-one")),
		"--from", "ann", "--to", "ben", "--topic", "work")
	ids := []string{}
	for i := range 5 {
		ids = append(ids, s.named("handoff_id", "", "write", s.file(fmt.Sprint("in/", i, ".md"), sourceText(fmt.Sprint("n-", i), "", "x"))))
	}
	for i := range 40 { // more than readers could read again each time
		s.file(fmt.Sprintf("many/%d.md", i), sourceText(fmt.Sprint("more-", i), "references: ['expires:2026-05-08T00:00:00Z', 're:"+ids[0]+"']\n", strings.Repeat("word ", 500)))
	}
	for _, line := range []string{"write many", "take " + ids[0], "done " + ids[1], "archive " + ids[2], "mark-read " + ids[3], "supersede " + ids[4] + " - --from ann",
		"hook session-start --operator ben"} {
		var said bytes.Buffer
		if code, _ := s.run(strings.NewReader("A newer one."), &said, strings.Fields(line)...); code != 0 {
			s.Fatalf("%s: %s", line, said.String())
		}
	}
	key, err := os.ReadFile("key.pub")
	if err != nil {
		s.Fatal(err)
	}
	s.file("OPERATORS.md", "---\nschema_version: '1.0'\noperators:\n  - {id: ann, ssh_keys: [{key: '"+strings.TrimSpace(string(key))+"'}]}\n  - {id: ben}\n---\n")
	s.later = time.Minute
	return id, packet
}

const packetText = `{"objective": "Mend the parser", "completed": ["Read the files"], "unresolved": ["No blockers"], "assumptions": ["None"],
"next_action": "Run the tests", "risks": ["None"], "updated_at": "2026-05-07T12:00:00Z", "resume_token": "TOKEN"}`

func sourceText(topic, more, body string) string {
	return "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: " + topic + "\nts_utc: '2026-05-07T12:00:00Z'\n" + more + "---\n" + body + "\n"
}
