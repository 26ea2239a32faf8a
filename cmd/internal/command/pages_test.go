package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const pagesDir = "../cli/pages"

var onPage = regexp.MustCompile(`(?m)^\* (?:-([a-z]), )?--([a-z0-9-]+)(:?)`)

// Each command has a page, and each page a command. A flag of the one is a flag of the other, with the same letter, and
// with the kind of its value in backquotes unless it is a boolean.
func TestPagesAndFlags(t *testing.T) {
	t.Parallel()
	shared, used := readPage(t, "flags.md"), map[string]int{}
	files, err := filepath.Glob(filepath.Join(pagesDir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	unread := map[string]bool{}
	for _, file := range files {
		unread[filepath.Base(file)] = true
	}
	delete(unread, "flags.md")
	check := func(name string, flags ...*pflag.FlagSet) {
		delete(unread, name)
		text, listed := readPage(t, name), map[string]bool{}
		for _, flag := range onPage.FindAllStringSubmatch(text, -1) {
			letter, flag, words := flag[1], flag[2], flag[3]
			listed[flag] = true
			if words == "" {
				used[flag]++
				if !regexp.MustCompile(`(?m)^\* (-[a-z], )?--` + flag + `:`).MatchString(shared) {
					t.Errorf("%s: --%s has no words, and flags.md has none", name, flag)
				}
			}
			at := slices.IndexFunc(flags, func(set *pflag.FlagSet) bool { return set.Lookup(flag) != nil })
			if at < 0 {
				t.Errorf("%s: the command has no flag --%s", name, flag)
			} else if f := flags[at].Lookup(flag); f.Shorthand != letter {
				t.Errorf("%s: --%s has the letter %q", name, flag, f.Shorthand)
			}
		}
		for _, set := range flags {
			set.VisitAll(func(f *pflag.Flag) {
				isBool := f.Value.Type() == "bool"
				switch {
				case f.Name == "help" || f.Hidden:
				case f.Usage == "":
					t.Errorf("%s has no words for --%s", name, f.Name)
				case isBool == strings.Contains(f.Usage, "`"):
					t.Errorf("%s: --%s is a %s: %s", name, f.Name, f.Value.Type(), f.Usage)
				}
			})
		}
	}
	root := cli.Root(Program())
	check("handoff.md", root.PersistentFlags(), root.Flags())
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.Name() == "no-help" {
				continue
			}
			_, path, _ := strings.Cut(sub.CommandPath(), " ")
			check(strings.ReplaceAll(path, " ", "-")+".md", sub.LocalNonPersistentFlags())
			walk(sub)
		}
	}
	walk(root)
	for page := range unread {
		t.Errorf("%s is the page of no command", page)
	}
	for _, flag := range onPage.FindAllStringSubmatch(shared, -1) {
		if used[flag[2]] == 0 {
			t.Errorf("flags.md: no page needs the words of --%s", flag[2])
		}
	}
}

// Help shows at most 25 flags of a command, and says where each other one is.
func TestHelpIsShort(t *testing.T) {
	t.Parallel()
	shows := regexp.MustCompile(`(?m)^ {2,6}(?:-[a-z], )?--([a-z0-9-]+)`)
	help := func(args ...string) string {
		var out strings.Builder
		root := cli.Root(Program())
		root.SetOut(&out)
		root.SetArgs(append(args, "--help"))
		if err := root.Execute(); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return out.String()
	}
	for _, screen := range []string{"", "all", "topics"} {
		var out strings.Builder
		args := slices.DeleteFunc([]string{"help", screen}, func(arg string) bool { return arg == "" })
		if code := cli.Run(cli.Env{Args: args, Stdout: &out, Getenv: func(string) string { return "" }}, Program()); code != 0 || out.Len() == 0 {
			t.Errorf("help %s: exit code %d", screen, code)
		}
		for line := range strings.Lines(out.String()) {
			if len([]rune(line)) > 81 {
				t.Errorf("help %s has more than 80 columns: %s", screen, line)
			}
		}
	}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		text := help(path...)
		_, flags, _ := strings.Cut(text, "\nFlags:\n")
		flags, _, _ = strings.Cut(flags, "\n\n")
		if n := len(shows.FindAllString(flags, -1)); n > 25 {
			t.Errorf("the help of %q shows %d flags", path, n)
		}
		for _, kind := range regexp.MustCompile(`--kind (\w+) --help`).FindAllStringSubmatch(text, -1) {
			text += help(append(path, "--kind", kind[1])...)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" && !regexp.MustCompile(`--`+f.Name+`\b`).MatchString(text) {
				t.Errorf("no help of %q names --%s", path, f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	for _, sub := range cli.Root(Program()).Commands() {
		walk(sub)
	}
}

// The default value of a flag is one that it takes.
func TestDefaults(t *testing.T) {
	t.Parallel()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "func" && f.DefValue != "" && f.Value.String() != f.DefValue && f.DefValue != "[]" {
				t.Errorf("%s --%s is %q, not %q", cmd.CommandPath(), f.Name, f.Value, f.DefValue)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(cli.Root(Program()))
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pagesDir, name))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// The help of each command fits 80 columns, and so does each topic: in a pipe except for the rows of its tables, and on a
// terminal altogether.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	const most = 80
	fits := func(where, text string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); handoff.Width(line) > most && !strings.Contains(line, "://") {
				t.Errorf("%s: %d columns: %s", where, handoff.Width(line), line)
			}
		}
	}
	program := Program()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		var out bytes.Buffer
		c.SetOut(&out)
		c.InitDefaultHelpFlag()
		if c.HasParent() { // the first screen has the lines of commands
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			fits(c.CommandPath(), out.String())
			if !c.Parent().HasParent() && c.Name() != "completion" {
				fits("help all", fmt.Sprintf("  %-20s %s", c.Name(), c.Short))
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(cli.Root(program))
	topics, err := filepath.Glob("../cli/topics/*.md")
	if err != nil || len(topics) == 0 {
		t.Fatalf("no topics: %v", err)
	}
	row := regexp.MustCompile(`(?m)^\|.*\n`)
	for _, topic := range topics {
		text, err := os.ReadFile(topic)
		if err != nil {
			t.Fatal(err)
		}
		fits(topic, row.ReplaceAllString(string(text), ""))
		fits(topic+" on a terminal", strings.Join(handoff.Lines(string(text), "", most, false), "\n"))
	}
}
