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

// The screens of help fit 80 columns.
func TestScreensFit(t *testing.T) {
	t.Parallel()
	for _, screen := range []string{"", "all"} {
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
			if c.Name() != "completion" && c.Parent().Name() != "completion" { // whose texts are cobra's
				fits(c.CommandPath(), out.String())
			}
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
