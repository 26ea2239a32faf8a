package full

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

var update = flag.Bool("update", false, "write the man pages")

// The embedded man pages, which packagers install, are those that the pages of the commands make; -update writes them.
func TestManPages(t *testing.T) {
	pages := manPages()
	if len(pages) < 70 {
		t.Fatalf("%d pages", len(pages))
	}
	if *update {
		if err := os.RemoveAll("man"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir("man", 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range pages {
			if err := os.WriteFile(filepath.Join("man", name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	have, _ := filepath.Glob("man/*.1")
	if len(have) != len(pages) {
		t.Errorf("man has %d pages, the program has %d commands; run with -update", len(have), len(pages))
	}
	for name, text := range pages {
		want, err := os.ReadFile(filepath.Join("man", name))
		if err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s differs from the help of the program (%v); run with -update", name, err)
		}
	}
}

// TestManPagesAreRead has groff read each page without a warning, and finds the words of the help in what it shows.
func TestManPagesAreRead(t *testing.T) {
	t.Parallel()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is missing")
	}
	for name, text := range manPages() {
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-k", "-rLL=100n", "-P-cbou")
		cmd.Stdin = bytes.NewReader(text)
		var warnings strings.Builder
		cmd.Stderr = &warnings
		out, err := cmd.Output()
		if err != nil || warnings.Len() > 0 {
			t.Errorf("%s: %v %s", name, err, &warnings)
		}
		for _, word := range []string{"NAME", "SYNOPSIS", "DESCRIPTION"} {
			if !bytes.Contains(out, []byte(word)) {
				t.Errorf("%s does not show %s", name, word)
			}
		}
	}
}

// manPages returns the man pages of all commands, by the name of their file.
func manPages() map[string][]byte {
	root := cli.Root(Program())
	pages := map[string][]byte{}
	addManPages(pages, root)
	return pages
}

func addManPages(pages map[string][]byte, cmd *cobra.Command) {
	pages[manName(cmd)+".1"] = manPage(cmd)
	for _, c := range withPages(cmd) {
		addManPages(pages, c)
	}
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// withPages returns the subcommands with a page, by name.
func withPages(cmd *cobra.Command) []*cobra.Command {
	all := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()
	})
	slices.SortFunc(all, func(a, b *cobra.Command) int { return cmp.Compare(a.Name(), b.Name()) })
	return all
}

// manPage returns the page of a command in the format of man(7).
func manPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	name := manName(cmd)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n.nh\n.TH \"%s\" \"1\" \"\" \"handoff\" \"Handoff Manual\"\n", manMark,
		roff(strings.ToUpper(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	manText(&b, cmp.Or(cmd.Long, cmd.Short))
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "COMMON OPTIONS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.EX\n%s\n.EE\n", roff(cmd.Example))
	}
	manSeeAlso(&b, cmd)
	return b.Bytes()
}

// manText writes paragraphs. Indented lines stay as they are.
func manText(b *bytes.Buffer, text string) {
	isCode := false
	for i, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, " ")
		switch {
		case indented && !isCode:
			b.WriteString(".EX\n")
		case isCode && !indented && line != "":
			b.WriteString(".EE\n")
		}
		switch isCode = indented || isCode && line == ""; {
		case line == "" && !isCode && i > 0:
			b.WriteString(".PP\n")
		default:
			b.WriteString(roff(line) + "\n")
		}
	}
	if isCode {
		b.WriteString(".EE\n")
	}
}

func manFlags(b *bytes.Buffer, heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + heading + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			b.WriteString(`\fB` + roff("-"+f.Shorthand) + `\fR, `)
		}
		b.WriteString(`\fB` + roff("--"+f.Name) + `\fR`)
		switch {
		case value != "" && f.NoOptDefVal != "":
			b.WriteString(`[=\fI` + roff(value) + `\fR]`)
		case value != "":
			b.WriteString(` \fI` + roff(value) + `\fR`)
		}
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) &&
			!strings.Contains(usage, "(default") {
			usage += " (default " + f.DefValue + ")"
		}
		b.WriteString("\n" + roff(usage) + "\n")
	})
}

func manSeeAlso(b *bytes.Buffer, cmd *cobra.Command) {
	var names []string
	if cmd.HasParent() {
		names = append(names, manName(cmd.Parent()))
	}
	for _, c := range withPages(cmd) {
		names = append(names, manName(c))
	}
	for i, name := range names {
		names[i] = `\fB` + roff(name) + `\fR(1)`
	}
	if len(names) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(names, ",\n") + "\n")
	}
}

// roff escapes the special characters of man(7).
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
