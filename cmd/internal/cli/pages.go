package cli

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// pages holds the page of each command, NAME.md with - for the spaces in its name, and flags.md with the words of the
// flags that several commands share.
//
//	# usage line
//
//	what the command does, in one line
//
//	paragraphs of at most 80 columns
//
//	## Examples
//
//	    a line of shell
//
//	## Flags
//
//	* -s, --name: words, with the kind of its value in `backquotes`
//	* --name
//
// A flag without words has those of flags.md. A page is read only for help, completion and errors.
//
//go:embed pages/*.md
var pages embed.FS

// A page has the words of a command.
type page struct {
	usage, summary, text, examples string

	flags map[string]string // by name; "" for those of flags.md
}

// textOf returns the text of a page. A test finds a missing one.
func textOf(name string) string {
	text, _ := pages.ReadFile("pages/" + strings.ReplaceAll(name, " ", "-") + ".md")
	return string(text)
}

func readPage(name string) (p page) {
	words, flags, _ := strings.Cut(textOf(name), "\n## Flags\n")
	words, examples, _ := strings.Cut(words, "\n## Examples\n\n")
	p.examples = strings.TrimSpace(strings.ReplaceAll("\n"+examples, "\n    ", "\n  "))
	usage, words, _ := strings.Cut(strings.TrimPrefix(words, "# "), "\n\n")
	p.usage = usage
	p.summary, p.text, _ = strings.Cut(words, "\n\n")
	p.summary, p.text, p.flags = strings.TrimSpace(p.summary), strings.TrimSpace(p.text), map[string]string{}
	for line := range strings.SplitSeq(strings.ReplaceAll(flags, "\n  ", " "), "\n") {
		if _, line, found := strings.Cut(line, "--"); found {
			flag, about, _ := strings.Cut(line, ":")
			p.flags[flag] = strings.TrimSpace(about)
		}
	}
	return p
}

// describe gives a command and its flags the words of its page, and its subcommands theirs.
func describe(cmd *cobra.Command) {
	p, shared := readPage(cmp.Or(pathOf(cmd), "handoff")), readPage("flags")
	cmd.Use, cmd.Short, cmd.Long = cmp.Or(p.usage, cmd.Use), cmp.Or(p.summary, cmd.Short), cmp.Or(p.text, cmd.Long)
	if p.examples != "" {
		cmd.Example = "  " + p.examples
	}
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if words, has := p.flags[f.Name]; has {
				f.Usage = cmp.Or(words, shared.flags[f.Name])
			}
		})
	}
	var first []string
	for _, sub := range cmd.Commands() {
		describe(sub)
		line, _, _ := strings.Cut(sub.Example, "\n")
		first = append(first, line)
	}
	if cmd.Example == "" && cmd.HasParent() {
		cmd.Example = strings.Join(first, "\n")
	}
}

// pathOf returns the words of a command after "handoff".
func pathOf(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return path
}

// An argument is a word of a usage line, such as [FILE|-] or ID….
type argument struct {
	word              string
	optional, repeats bool
}

// usageOf returns the usage line of a command.
func usageOf(cmd *cobra.Command) string {
	usage, _, _ := strings.Cut(textOf(pathOf(cmd)), "\n")
	return strings.TrimPrefix(usage, "# ")
}

// argumentsOf returns the arguments of a usage line. [X] is optional, X… repeats; X | --flag needs no X.
func argumentsOf(usage string) (all []argument) {
	words, depth := strings.Fields(usage), 0
	for i, word := range words[1:] {
		before, name := words[i], strings.Trim(word, "[]")
		isValue := strings.HasPrefix(strings.Trim(before, "["), "--") && !strings.HasSuffix(before, "]")
		depth += strings.Count(word, "[") - strings.Count(word, "]")
		switch {
		case word == "|" && depth == 0:
			for i := range all {
				all[i].optional = true
			}
		case word != "|" && !isValue && !strings.HasPrefix(name, "--"):
			all = append(all, argument{name, strings.ContainsAny(word, "[]"), strings.Contains(name, "…")})
		}
	}
	return all
}

// checkArguments returns an error if a command has fewer or more arguments than its usage line says.
func checkArguments(cmd *cobra.Command, args []string) error {
	required, most := []string{}, 0
	for _, one := range argumentsOf(usageOf(cmd)) {
		if most++; one.repeats {
			most = len(args)
		}
		if !one.optional {
			required = append(required, one.word)
		}
	}
	problem := fmt.Sprintf("too many arguments: %d", len(args))
	if len(args) < len(required) {
		problem = "missing " + required[len(args)]
	} else if len(args) <= most {
		return nil
	}
	describe(cmd)
	return Invalid("usage: "+cmd.UseLine(), "%s", problem)
}
