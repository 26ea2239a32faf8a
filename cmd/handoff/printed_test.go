//go:build unix

package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

// placeholders maps what stands for something in our examples to what the prepared project has in its place. In texts that
// are not run, ID and the like may stay.
var placeholders = strings.NewReplacer(
	"134327a8 --export", "$UNIVERSAL --export", "hop 134327a8", "hop $UNIVERSAL", "show ID --export", "show $UNIVERSAL --export",
	"134327a8", "$PACKET", "8211a504", "$PACKET", " ID", " $PACKET", "task_review_docs", "$PACKET",
	"FILE", "note.md", "NAME", "ben", "KIND", "synced", "~/", "$HOME/", "/mnt/safe/", "$HOME/",
	"go test ./...", "true", "| model", "| cat",
)

// firstDo maps the beginning of an example to what was done before, as the text around it says.
var firstDo = []struct{ example, command string }{
	{"handoff take", "handoff init --yes --operator ben"},
	{"handoff done", "handoff init --yes --operator ben && handoff take"},
	{"handoff take @", "handoff read @"},
	{"echo 'The cache is warm: four minutes.' | handoff reply @", "handoff take"},
	{"echo 'Deployed at noon.' | handoff done @", "handoff take"},
	{"handoff operators add ben", "rm OPERATORS.md"},
	{"handoff create deploy-43", "handoff create deploy-42 --summary 'The runner has no disk left.' --status paused --next-step 'Ask ops for disk' " +
		"--who ann --context-debt 'Cache size is unknown' --agent agent:codex"},
	{"handoff compute-id note.md", "cp testdata/example.md note.md"},
}

// unfinished are lines that are not run: their commands never end by themselves, or ask a person at a terminal, or need
// a program of others.
var unfinished = regexp.MustCompile(
	`^handoff (inbox|mcp|watch|operators trust)\b` +
		`|^(claude|ssh|git|go) |Invoke-Expression|fish|# reports a fault`)

// printed are the commands of help, README and tour, with where each stands.
type printed struct {
	where, line string
	isElsewhere bool // TestReadmeOfAgents runs it
}

// Every command that help, README.md and the tour print for readers to paste succeeds in a project that has what it names.
func TestPrintedCommandsRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	p := newPrepared(t)
	lines := printedLines(t)
	if len(lines) < 120 {
		t.Errorf("%d commands found", len(lines))
	}
	ran, root := make(map[string]bool), cli.Root(command.Program())
	for _, l := range lines {
		for _, args := range commandsOf(l.line) {
			if err := parseCommand(root, args); err != nil {
				t.Errorf("%s: %s\n%v", l.where, l.line, err)
			}
		}
		if l.isElsewhere || unfinished.MatchString(l.line) || ran[l.line] {
			continue
		}
		ran[l.line] = true
		if out, code := p.run(l.line); code != 0 {
			t.Errorf("%s: %s\nexits with %d\n%s", l.where, l.line, code, out)
		}
	}
}

// Every command in backquotes in the texts and messages exists, with its flags and arguments.
func TestPrintedCommandsParse(t *testing.T) {
	t.Parallel()
	all := slices.Concat(quotedInTexts(t), quotedInSource(t))
	if len(all) < 150 {
		t.Errorf("%d commands found", len(all))
	}
	root := cli.Root(command.Program())
	for _, q := range all {
		for _, args := range commandsOf(q.line) {
			if err := parseCommand(root, args); err != nil {
				t.Errorf("%s: `%s`: %v", q.where, q.line, err)
			}
		}
	}
	for _, wrong := range []string{"handoff record", "handoff shwo", "handoff list --no-such", "handoff list one"} {
		if parseCommand(root, commandsOf(wrong)[0]) == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
}

// parseCommand parses a command line without running it. A command without arguments is a name, and may miss some.
// Cobra keeps all flags that ever were, so that many roots take much memory.
func parseCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.Trim(args[0], "X") == "" { // only a value of the program says which
		return nil
	}
	if args[0] == "create" { // each kind has its flags
		root = cli.Root(command.Program(), args...)
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	defer cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed = false; f.Value.Type() == "bool" {
			_ = f.Value.Set(f.DefValue)
		}
	})
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if cmd.HasAvailableSubCommands() && cmd.Flags().NArg() > 0 {
		return errors.New("unknown command")
	}
	if cmd.Flags().NArg() > 0 {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	return errors.Join(err, cmd.ValidateFlagGroups())
}

// commandsOf returns the arguments of each command of this program in a line of shell.
func commandsOf(line string) [][]string {
	var all [][]string
	var words []string
	end := func() {
		if at := slices.Index(words, "handoff"); at >= 0 && (at == 0 || !strings.HasPrefix(words[0], "claude")) {
			all = append(all, words[at+1:])
		}
		words = nil
	}
	for _, word := range shellWord.FindAllString(line, -1) {
		switch {
		case word[0] == '#':
			end()
			return all
		case strings.ContainsAny(word[:1], "|;&()<>"):
			end()
		default:
			words = append(words, strings.Trim(word, `'"`))
		}
	}
	end()
	return all
}

var ourCommand = regexp.MustCompile(`(^|[\s(;|])handoff [a-z]`)

var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|\$\(|[|;&()<>]|#.*|[^\s|;&()<>]+`)

// printedLines returns the lines that readers paste: the examples of all commands, the first screen, and code blocks.
func printedLines(t *testing.T) []printed {
	t.Helper()
	var all []printed
	root := cli.Root(command.Program())
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", "")) {
			all = append(all, printed{where: c.CommandPath() + " --help", line: strings.TrimSpace(line)})
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, file := range append(texts(t), "../internal/cli/help.go") {
		block := ""
		for line := range strings.Lines(textOf(t, file)) {
			line = strings.TrimRight(line, "\n")
			command, isCommand := strings.CutPrefix(line, "$ ")
			switch kind, isFence := strings.CutPrefix(line, "```"); {
			case isFence:
				block = kind
			case strings.HasPrefix(line, "Try:"):
				all = append(all, printed{where: file, line: strings.TrimSpace(line[4:])})
			case block == "sh" && ourCommand.MatchString(line):
				all = append(all, printed{where: file, line: strings.TrimSpace(line)})
			case block == "console" && isCommand && ourCommand.MatchString(line) && !strings.Contains(line, "$id"): // TestTopicGit runs that session
				all = append(all, printed{file, strings.TrimSpace(command), strings.HasSuffix(file, "hooks/README.md")})
			}
		}
	}
	return all
}

// texts returns README.md, the tour and the topics, without that for agents: TestSkillCommands runs it as one script.
func texts(t *testing.T) []string {
	t.Helper()
	topics, err := filepath.Glob("../internal/cli/topics/*.md")
	if err != nil || len(topics) == 0 {
		t.Fatalf("no topics: %v", err)
	}
	topics = slices.DeleteFunc(topics, func(path string) bool { return filepath.Base(path) == "agents.md" })
	return append(topics, "../../README.md", "../../testdata/tour.md", "../../hooks/README.md")
}

var (
	quoted  = regexp.MustCompile("`(handoff [^`]+)`")
	verb    = regexp.MustCompile(`%[a-z]`)
	meta    = regexp.MustCompile(`\[[^]]*\]|…|\.\.\.`)
	newline = regexp.MustCompile(`\s+`)
)

// quotedIn returns the commands in backquotes of a text. A value that the program prints is X.
func quotedIn(where, text string) []printed {
	var all []printed
	for _, found := range quoted.FindAllStringSubmatch(newline.ReplaceAllString(text, " "), -1) {
		all = append(all, printed{where: where, line: placeholders.Replace(meta.ReplaceAllString(verb.ReplaceAllString(found[1], "X"), ""))})
	}
	return all
}

func quotedInTexts(t *testing.T) []printed {
	t.Helper()
	var all []printed
	for _, file := range texts(t) {
		text := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(textOf(t, file), "")
		all = append(all, quotedIn(file, text)...)
	}
	return all
}

// quotedInSource returns the commands in backquotes in the string literals of the source.
func quotedInSource(t *testing.T) []printed {
	t.Helper()
	var all []printed
	for _, dir := range []string{"../../cmd", "../../lib"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || strings.HasSuffix(path, "_test.go") {
				return err
			}
			if strings.HasSuffix(path, "fields.json") || strings.HasSuffix(path, "words.txt") { // data that has hints
				all = append(all, quotedIn(path, textOf(t, path))...)
			}
			if !strings.HasSuffix(path, ".go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				e, is := n.(ast.Expr)
				if text, isText := literal(e); is && isText {
					all = append(all, quotedIn(path, text)...)
					return false
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// literal returns the text of a string literal, or of a sum with one, in which X is every other value.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := literal(e.X)
		right, isRight := literal(e.Y)
		if !isLeft {
			left = "X"
		}
		if !isRight {
			right = "X"
		}
		return left + right, e.Op == token.ADD && (isLeft || isRight)
	}
	return "", false
}

// prepared is a project that has what our examples name. Every command finds it as it was.
type prepared struct {
	*testing.T
	work, kept string
	env        []string
}

// inProject makes the project. PACKET is a packet from ann to ben.
const inProject = `set -e
mkdir "$HOME" "$XDG_CONFIG_HOME" "$HOME/.ssh" "$HOME/sessions" project
git config --global user.name ann
git config --global user.email ann@example.org
git config --global init.defaultBranch main
ssh-keygen -q -t ed25519 -N '' -C ann -f "$HOME/.ssh/id_ed25519"
git init -q project
cd project
ln -s "$TESTDATA" testdata
ln -s "$TESTDATA/../hooks" hooks
jq '.updated_at = (now | todate)' testdata/packet/clean.json >packet.json
jq '.handoff.target.skill = "editor"' testdata/universal/good/minimal.json >handoff.json
jq '{objective, blocker: .unresolved[0], next_action}' packet.json >understood.json
echo '{"themes": ["time"]}' >themes.json
cp handoff.json draft.json
git config user.signingkey "$HOME/.ssh/id_ed25519"
git config gpg.format ssh
printf '# Cache of the new runner\n\nThe cache is cold.\n' >note.md
tee notes.md answer.md plan.md plan-2.md HANDOFF.md <note.md >/dev/null
mkdir notes
cp testdata/example.md notes
handoff init --yes --operator ann
for name in ann ben cy codex claude survey-reader report-writer editor; do handoff operators add $name --name $name --email $name@example.org; done
git add .handoff.yaml OPERATORS.md
git commit -qm project
echo 'Look at the retry queue of the broker.' | handoff write - --from ben --to ann --topic queue
handoff write packet.json --to ben
handoff write handoff.json --to editor --topic survey
handoff log --head >head.txt
handoff export -o all.handoffs
for name in origin backup; do git init -q --bare "$HOME/$name.git"; git remote add $name "$HOME/$name.git"; done
`

func newPrepared(t *testing.T) prepared {
	t.Helper()
	for _, name := range []string{"git", "ssh-keygen", "bash", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is missing", name)
		}
	}
	top := t.TempDir()
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	p := prepared{t, filepath.Join(top, "work"), filepath.Join(top, "kept"), nil}
	home := filepath.Join(p.work, "home")
	p.env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + filepath.Join(home, ".local/state"), "GIT_CONFIG_NOSYSTEM=1", "EDITOR=cp note.md", "GIT_TEMPLATE_DIR=" + t.TempDir(),
		"TESTDATA=" + testdata, "PATH=" + scripts.in(t) + ":" + os.Getenv("PATH")}
	if err := os.Mkdir(p.work, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, code := p.shell(p.work, inProject); code != 0 {
		t.Fatalf("%s", out)
	}
	project := filepath.Join(p.work, "project")
	for name, command := range map[string]string{"PACKET": "handoff list --to ben --format ids", "UNIVERSAL": "handoff list --topic survey --format ids"} {
		out, code := p.shell(project, command)
		if code != 0 {
			t.Fatalf("%s", out)
		}
		p.env = append(p.env, name+"="+strings.TrimSpace(out))
	}
	if out, code := p.shell(top, "mv work kept"); code != 0 {
		t.Fatalf("%s", out)
	}
	return p
}

func (p prepared) shell(dir, line string) (string, int) {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Env = dir, p.env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// run runs a line in the project as it was prepared.
func (p prepared) run(line string) (string, int) {
	p.Helper()
	if err := p.putBack(); err != nil {
		p.Fatal(err)
	}
	project := filepath.Join(p.work, "project")
	for _, b := range firstDo {
		if !strings.HasPrefix(line, b.example) {
			continue
		}
		if out, code := p.shell(project, b.command); code != 0 {
			p.Errorf("%s: %s", b.command, out)
		}
	}
	return p.shell(project, placeholders.Replace(line))
}

// putBack makes work what it was: it removes what is new, and copies what is missing or has another size or time.
func (p prepared) putBack() error {
	same := func(a, b fs.FileInfo) bool {
		return a.Mode() == b.Mode() && (a.IsDir() || a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()))
	}
	each := func(in, other string, differs func(path string, is fs.FileInfo, twin string) error) error {
		return filepath.Walk(in, func(path string, is fs.FileInfo, err error) error {
			twin := other + strings.TrimPrefix(path, in)
			if err != nil {
				return err
			}
			if has, err := os.Lstat(twin); err == nil && same(is, has) {
				return nil
			}
			return differs(path, is, twin)
		})
	}
	if err := os.MkdirAll(p.work, 0o755); err != nil {
		return err
	}
	err := each(p.work, p.kept, func(path string, is fs.FileInfo, _ string) error {
		if err := os.RemoveAll(path); err != nil || !is.IsDir() {
			return err
		}
		return filepath.SkipDir
	})
	return errors.Join(err, each(p.kept, p.work, func(path string, is fs.FileInfo, twin string) error {
		switch {
		case is.IsDir():
			return errors.Join(os.Mkdir(twin, 0o700), os.Chmod(twin, is.Mode().Perm()))
		case is.Mode().Type() == fs.ModeSymlink:
			to, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(to, twin))
		}
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(twin, text, 0o600), os.Chmod(twin, is.Mode().Perm()), os.Chtimes(twin, is.ModTime(), is.ModTime()))
	}))
}
