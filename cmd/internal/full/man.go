package full

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// printManPages writes the man pages to a directory.
func printManPages(a *cli.App, dir string) error {
	pages := ManPages()
	if err := writeManPages(dir, pages); err != nil || !a.JSON {
		return err
	}
	return a.PrintJSON(map[string]any{"directory": dir, "files": len(pages)})
}

// manMark is the first line of each page.
const manMark = `.\" handoff man`

// A ManPage is the man page of a command.
type ManPage struct {
	Name string // of the file
	Text []byte
}

// ManPages returns the man pages of all commands. They depend only on the program.
func ManPages() (pages []ManPage) {
	root := cli.Root(Program())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	addManPages(&pages, root)
	return pages
}

func addManPages(pages *[]ManPage, cmd *cobra.Command) {
	*pages = append(*pages, ManPage{manName(cmd) + ".1", manPage(cmd)})
	for _, c := range withPages(cmd) {
		addManPages(pages, c)
	}
}

// writeManPages writes pages to a directory. If one of them would replace another kind of file, it writes nothing.
func writeManPages(dir string, pages []ManPage) error {
	if err := cli.CheckOutput(dir); err != nil {
		return err
	}
	err := os.MkdirAll(dir, 0o755)
	for _, p := range pages {
		path := filepath.Join(dir, p.Name)
		if info, statErr := os.Lstat(path); err == nil && statErr == nil &&
			!(info.Mode().IsRegular() && isManPage(path)) {
			return cli.Invalid("move it away, or choose another directory",
				"%s was not made by `handoff help man`; nothing was changed", path)
		} else if statErr != nil && !errors.Is(statErr, fs.ErrNotExist) {
			err = cmp.Or(err, statErr)
		}
	}
	for _, p := range pages {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, p.Name), p.Text, 0o644)
		}
	}
	if err != nil {
		return cli.OutputError(dir, err)
	}
	return nil
}

// isManPage reports whether a file is a page of this program, or empty, as after an interruption.
func isManPage(path string) bool {
	text, err := cli.ReadInput(path)
	return err == nil && (len(text) == 0 || bytes.HasPrefix(text, []byte(manMark)))
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
