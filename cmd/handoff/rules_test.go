package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

var update = flag.Bool("update", false, "write golden files")

const module = "github.com/seed-78daf238/handoff"

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
}

// imports returns what each package of ours imports, tests left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]string)
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, module+"/")] = p.Imports
	}
	return all
}

// floors are the packages of the house from the ground up. A name that ends in / stands for all below it that no other line names.
var floors = [][]string{
	{"lib/fault", "schema/jsonschema/kind"},
	{"schema/jsonschema", "lib/internal/form", "lib/internal/git", "lib/agent/memory", "lib/signature"},
	{"lib/internal/json", "lib/internal/secrets", "lib/relation", "lib/exchange/remote"},
	{"lib/internal/disk", "lib/internal/log", "lib/internal/document", "lib/work", "schema", "lib/exchange/"},
	{"lib/internal/facts", "lib/internal/settings", "lib/internal/search", "lib/kind"},
	{"lib/internal/index", "lib/internal/operators", "lib/"},
	{"lib/internal/store"},
	{"lib/internal/check", "lib/internal/exchange"},
	{"lib/handoff"},
	{"lib/agent", "lib/site"},
	{"cmd/internal/"},
	{""},
}

func floorOf(pkg string) (floor int) {
	best := -1
	for n, names := range floors {
		for _, name := range names {
			covers := name == pkg || name == "" || strings.HasSuffix(name, "/") && strings.HasPrefix(pkg, name)
			if covers && len(name) > best {
				floor, best = n, len(name)
			}
		}
	}
	return floor
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for pkg, list := range imports(t) {
		for _, imported := range list {
			ours, ok := strings.CutPrefix(imported, module+"/")
			if !ok {
				continue
			}
			above, below := floorOf(pkg), floorOf(ours)
			if below > above || below == above && above < floorOf("cmd/internal/x") {
				t.Errorf("%s imports %s, which lies above or beside it", pkg, ours)
			}
		}
	}
}

// A library that two packages use is used in two ways, and changed in one of them.
func TestEachLibraryHasOneOwner(t *testing.T) {
	t.Parallel()
	owners := map[string]string{
		"github.com/adrg/frontmatter":                 "lib/internal/document",
		"go.yaml.in/yaml/v3":                          "lib/internal/document",
		"github.com/go-json-experiment/json":          "lib/internal/json",
		"github.com/go-json-experiment/json/jsontext": "lib/internal/json",
		"github.com/gofrs/flock":                      "lib/internal/disk",
		"github.com/google/renameio/v2":               "lib/internal/disk",
		"github.com/google/uuid":                      "lib/kind",
		"github.com/denisbrodbeck/machineid":          "lib/internal/disk",
		"github.com/rivo/uniseg":                      "lib/internal/form",
		"github.com/gosimple/unidecode":               "lib/internal/form",
		"golang.org/x/text":                           "schema/jsonschema",
		"github.com/aymanbagabas/go-udiff":            "cmd/internal/command",
		"github.com/fsnotify/fsnotify":                "cmd/internal/command",
		"github.com/kballard/go-shellquote":           "lib/agent",
		"github.com/tailscale/hujson":                 "lib/agent",
		"github.com/modelcontextprotocol/go-sdk":      "cmd/internal/mcp",
		"github.com/google/jsonschema-go":             "cmd/internal/mcp",
		"github.com/hiddeco/sshsig":                   "lib/signature",
		"golang.org/x/crypto":                         "lib/signature",
		"github.com/spf13/cobra":                      "cmd/",
		"github.com/spf13/pflag":                      "cmd/",
		"golang.org/x/term":                           "cmd/",
		"github.com/aws/aws-sdk-go-v2":                "cmd/handoff-remote-s3",
		"github.com/aws/smithy-go":                    "cmd/handoff-remote-s3",
		"golang.org/x/sync":                           "cmd/handoff-remote-s3",
		"charm.land/bubbletea/v2":                     "cmd/internal/tui",
		"github.com/charmbracelet/colorprofile":       "cmd/internal/tui",
		"github.com/charmbracelet/x/ansi":             "cmd/internal/",
		"golang.org/x/sys":                            "",
	}
	isKnown := func(library string) bool {
		_, ok := owners[library]
		return ok
	}
	found := make(map[string]bool)
	for pkg, list := range imports(t) {
		for _, imported := range list {
			host, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(host, ".") || strings.HasPrefix(imported, module) || strings.HasPrefix(pkg, "testdata/") {
				continue
			}
			library := imported
			for !isKnown(library) && strings.Contains(library, "/") {
				library = library[:strings.LastIndexByte(library, '/')]
			}
			found[library] = true
			if !strings.HasPrefix(pkg+"/", owners[library]) || !strings.Contains(library, "/") {
				t.Errorf("%s imports %s, which belongs to %q", pkg, imported, owners[library])
			}
		}
	}
	for library := range owners {
		if !found[library] {
			t.Errorf("nobody uses %s", library)
		}
	}
}

// The kinds of records and the schemas are for anybody's program: they come without the store and what it locks and
// replaces files with.
func TestKindsLinkNoStore(t *testing.T) {
	t.Parallel()
	kinds := []string{"schema"}
	for pkg := range imports(t) {
		if pkg == "lib/kind" || strings.HasPrefix(pkg, "lib/") && floorOf(pkg) == floorOf("lib/x") && !strings.HasPrefix(pkg, "lib/internal/") {
			kinds = append(kinds, pkg)
		}
	}
	if len(kinds) < 2 {
		t.Fatalf("the kinds are %v", kinds)
	}
	for _, kind := range kinds {
		for _, pkg := range goList(t, "-deps", module+"/"+kind) {
			for _, store := range []string{"gofrs/flock", "renameio", "/lib/handoff", "/lib/record", "/internal/disk", "/internal/store", "/internal/log"} {
				if strings.Contains(pkg, store) {
					t.Errorf("%s links %s", kind, pkg)
				}
			}
			if kind == "schema" && strings.HasPrefix(pkg, module+"/lib/internal/") && floorOf(strings.TrimPrefix(pkg, module+"/")) > 0 {
				t.Errorf("schema links %s", pkg)
			}
		}
	}
}

// Who uses no object store does not pay for one.
func TestHandoffLinksNoObjectStore(t *testing.T) {
	t.Parallel()
	for _, pkg := range goList(t, "-deps", module+"/cmd/handoff") {
		if strings.HasPrefix(pkg, "github.com/aws/") {
			t.Errorf("handoff links %s", pkg)
		}
	}
}

// Libraries take everything as arguments and give everything back.
func TestLibraryTouchesNothing(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`os\.(Getenv|LookupEnv|Exit|Stdout|Stderr|Stdin|Args)\b|fmt\.Print|log\.(Print|Fatal)`)
	for _, path := range sources(t, "../../lib") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := forbidden.Find(text); found != nil && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s uses %s", path, found)
		}
	}
}

// sources returns the files of the programs and their tests. What tests run for themselves is in directories testdata,
// and code of others that is carried has a license of its own.
func sources(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if _, notOurs := os.Stat(filepath.Join(path, "LICENSE")); err == nil && (d.Name() == "testdata" || notOurs == nil) {
			return filepath.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".go" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sources in %s: %v", root, err)
	}
	return paths
}

// The budgets are in tokens, comments left out: a count of lines is met by lines that are dense. They only
// ever become smaller.
func TestBudgets(t *testing.T) {
	t.Parallel()
	const (
		all         = 250_850 // of the whole program, without tests
		ofAFunction = 460
		wide        = 0 // lines above 120 columns
	)
	rooms := []struct {
		most int
		dirs string // in cmd, lib or the repository
	}{
		{31_000, "cmd/internal/command"},
		{23_350, "cmd/internal/cli"},
		{10_050, "cmd/internal/tui"},
		{5_500, "cmd/internal/mcp"},
		{28_500, "lib/handoff"},
		{20_650, "lib/kind schema"},
		{14_000, "lib/agent lib/agent/memory"},
		{41_600, "lib/internal/disk lib/internal/log lib/internal/facts lib/internal/index lib/internal/store lib/internal/check"},
		{23_400, "lib/internal/exchange lib/exchange/remote lib/exchange/bundle lib/internal/git lib/signature cmd/handoff-remote-s3"},
		{12_250, "lib/internal/document"},
		{7_650, "lib/internal/form"},
		{6_650, "lib/internal/operators"},
		{4_000, "lib/internal/json"},
		{3_700, "lib/internal/settings"},
		{3_650, "lib/work lib/relation"},
		{3_300, "lib/internal/md"},
		{3_150, "lib/site"},
		{2_900, "lib/fault"},
		{2_750, "lib/internal/search"},
		{2_700, "lib/internal/secrets"},
	}
	packages := map[string]int{}
	total, tooWide := 0, 0
	for _, dir := range []string{"lib", "cmd", "schema"} {
		for _, path := range sources(t, filepath.Join("../..", dir)) {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			src := []byte(textOf(t, path))
			for line := range strings.Lines(string(src)) {
				if len(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")) > 120 {
					tooWide++
				}
			}
			offsets := tokens(src)
			room, _ := filepath.Rel("../..", filepath.Dir(path))
			packages[filepath.ToSlash(room)] += len(offsets)
			total += len(offsets)
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					from, _ := slices.BinarySearch(offsets, files.Position(d.Pos()).Offset)
					to, _ := slices.BinarySearch(offsets, files.Position(d.End()).Offset)
					if to-from > ofAFunction {
						t.Errorf("%s: %s has %d tokens, more than %d", path, f.Name.Name, to-from, ofAFunction)
					}
				}
			}
		}
	}
	for _, room := range rooms {
		n := 0
		for dir := range strings.FieldsSeq(room.dirs) {
			n += packages[dir]
		}
		if n == 0 || n > room.most {
			t.Errorf("%s: %d tokens, more than %d", room.dirs, n, room.most)
		}
	}
	if total == 0 || total > all || tooWide > wide {
		t.Errorf("%d tokens, of at most %d; %d lines above 120 columns, of at most %d", total, all, tooWide, wide)
	}
}

// tokens returns the offsets of the tokens of a file, without comments and the semicolons that the scanner adds.
func tokens(src []byte) (offsets []int) {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		at, tok, text := s.Scan()
		if tok == token.EOF {
			return offsets
		}
		if tok != token.SEMICOLON || text != "\n" {
			offsets = append(offsets, file.Offset(at))
		}
	}
}

func readme(t *testing.T) string {
	t.Helper()
	return textOf(t, "../../README.md")
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestExitCodesAreWritten(t *testing.T) {
	t.Parallel()
	var want []string
	short := strings.ReplaceAll(readme(t), "\n", " ")
	for _, e := range cli.Exits {
		want = append(want, fmt.Sprintf("| %d | %s |", e.Code, e.Meaning))
		if e.Class != nil && !strings.HasPrefix(e.Meaning, e.Name+": ") && !strings.HasPrefix(e.Meaning, "check: "+strings.ToUpper(e.Name)) {
			t.Errorf("the name %s of exit code %d is not that of its meaning", e.Name, e.Code)
		}
		if !strings.Contains(short, fmt.Sprintf(" %d %s", e.Code, e.Name)) {
			t.Errorf("README does not name exit code %d %s", e.Code, e.Name)
		}
	}
	var got []string
	_, table, _ := strings.Cut(textOf(t, "../internal/cli/topics/scripting.md"), "| code | meaning |\n|---|---|\n")
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		got = append(got, strings.TrimSpace(line))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the topic scripting has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is longer than people read stands in topics of help, and in hooks/README.md.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	if n := len(strings.Fields(readme(t))); n > 500 {
		t.Errorf("README has %d words, and may have 500", n)
	}
}

// Every command that does something has an example, in the shape of a command.
func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			look(sub)
		}
		ours := !strings.HasPrefix(c.CommandPath(), "handoff completion") && c.IsAvailableCommand()
		if ours && !c.HasSubCommands() && !strings.Contains(c.Example, "handoff "+strings.Split(c.CommandPath(), " ")[1]) {
			t.Errorf("%s has no example of itself: %q", c.CommandPath(), c.Example)
		}
	}
	for _, c := range cli.Root(command.Program()).Commands() {
		look(c)
	}
}

func TestIndexExample(t *testing.T) {
	root := t.TempDir()
	s, err := handoff.Open(handoff.Options{
		Dir: filepath.Join(root, "handoffs"), Root: root, Rules: schema.Frontmatter(),
		Now:         func() time.Time { return time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC) },
		Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	var first string
	for i, doc := range []handoff.Document{
		{From: "alice", To: "bob", Topic: "retry-policy", Time: "2026-05-07T12:00:00Z", Body: "The retries back off.\n"},
		{From: "bob", To: "alice", Topic: "release", Time: "2026-05-07T15:30:00Z", Body: "The release is tagged.\n"},
		{From: "alice", To: "bob", Topic: "retry-policy", Time: "2026-05-07T18:00:00Z", Body: "The limits are open.\n"},
	} {
		doc.SchemaVersion = "1.0"
		r, err := s.WriteAll(t.Context(), []handoff.Source{{Fields: &doc}})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = r[0].ID
		}
	}
	if _, err := s.MarkRead(t.Context(), "bob", first); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(s.Dir(), "INDEX.md"))
	if err != nil {
		t.Fatal(err)
	}
	got = regexp.MustCompile(`\d+:[0-9a-f]{64} -->`).ReplaceAll(got, []byte("OFFSET:HASH -->")) // each store has another
	const golden = "../../INDEX.example.md"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, want)
	}
}

// The released program is the same machine whatever its environment says.
func TestReleaseIgnoresTheFingerprintSwitch(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(released.in(t), "handoff")
	root := t.TempDir()
	run := func(env string) (string, int) {
		cmd := exec.Command(bin, "write", "-", "--root", root, "--from", "ann", "--to", "ben", "--topic", "t", "--ts", "2026-05-07T12:00:00Z")
		cmd.Env, cmd.Stdin = append(os.Environ(), env), strings.NewReader("text\n")
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := run("X=1"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	record := filepath.Join(root, ".run", "machine-fingerprint")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`"fingerprint":"[0-9a-f]{64}"`).ReplaceAll(text, []byte(`"fingerprint":"`+strings.Repeat("1", 64)+`"`))
	if err := os.WriteFile(record, other, 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := run("LOA_HANDOFF_DISABLE_FINGERPRINT=1")
	if code != 6 || !strings.Contains(out, "is ignored") || !strings.Contains(out, "[CROSS-HOST-REFUSED]") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestScriptsUseTheirChecks: in a script of the shell, only the last command decides. A comparison before it would be
// for nothing, unless && or || follows.
func TestScriptsUseTheirChecks(t *testing.T) {
	unused := regexp.MustCompile(`(?:test \$\? = \d+|\bcmp [^;|&']*); `)
	scripts, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(len(scripts), err)
	}
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "exec ") && unused.MatchString(line) {
				t.Errorf("%s:%d: nothing looks at the result of %q", filepath.Base(name), i+1, unused.FindString(line))
			}
		}
	}
}
