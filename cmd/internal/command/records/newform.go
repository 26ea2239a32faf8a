package records

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// standard is the template if a project has none: the questions that a good handoff answers.
const standard = `# Where it stands

# What is open

# What to do next

# What to beware of
`

const templates = ".handoff/templates" // of a project: default.md, and NAME.md for --template NAME

// templateOf returns the text to start with. A project's templates may come from others: they must be regular files,
// and invisible characters are made visible.
func templateOf(p handoff.Project, name string) (string, error) {
	path := filepath.Join(p.Root, filepath.FromSlash(templates), name+".md")
	if name == "" {
		path = filepath.Join(filepath.Dir(path), "default.md")
	} else if err := handoff.CheckOperator(name); err != nil {
		return "", cli.Invalid("use the name of a file in "+templates+", without .md", "%q is not a template name",
			name)
	}
	if err := cli.CheckOutput(path); err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil && name == "":
		return standard, nil
	case err != nil:
		return "", cli.Invalid("use "+fault.Some(templateNames(p)), "no template %q", name)
	case !info.Mode().IsRegular():
		return "", cli.Invalid("replace it by a file", "the template %s is not a regular file", path)
	}
	text, err := cli.ReadInput(path)
	return handoff.Escape(string(text)), err // an editor may pass it on to the terminal
}

// templateNames returns the values of --template. Other names are left out: they could contain control characters.
func templateNames(p handoff.Project) (names []string) {
	dir := filepath.Join(p.Root, filepath.FromSlash(templates))
	var files []fs.DirEntry
	if handoff.CheckLinks(dir) == nil {
		files, _ = os.ReadDir(dir) // no templates if it cannot be read
	}
	for _, file := range files {
		name, isTemplate := strings.CutSuffix(file.Name(), ".md")
		if isTemplate && name != "default" && file.Type().IsRegular() && handoff.CheckOperator(name) == nil {
			names = append(names, name)
		}
	}
	return append(names, "default")
}

// A question asks for a field of the frontmatter.
type question struct {
	text   string
	needed string // the message if there is no answer, "" if none is needed
	// field adds an answer to the field, unless it is "", and returns the field
	field func(d *handoff.Document, answer string) string
}

var (
	toQuestion = question{"to: the recipient", "a handoff needs a recipient",
		func(d *handoff.Document, answer string) string {
			d.To = cmp.Or(answer, d.To)
			return d.To
		}}
	topicQuestion = question{"topic: one or a few words", "a handoff needs a topic",
		func(d *handoff.Document, answer string) string {
			d.Topic = cmp.Or(handoff.TopicFrom(answer), answer, d.Topic)
			return d.Topic
		}}
	tagsQuestion = question{"tags: optional; then the editor opens", "",
		func(d *handoff.Document, answer string) string {
			d.Tags = append(d.Tags, strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' })...)
			return strings.Join(d.Tags, " ")
		}}
)

// askHead asks for the fields that no flag gives: to, topic and tags.
func askHead(a *cli.App, f *cli.Fields) error {
	if f.To != "" && f.Topic != "" {
		return nil
	}
	if f.From == "" {
		return cli.UnknownOperator("--from")
	}
	known := slices.DeleteFunc(a.KnownOperators(), func(name string) bool { return name == f.From })
	fmt.Fprintf(a.Stderr, "from: %s   (Ctrl-C leaves, and stores nothing)\n", handoff.EscapeLine(f.From))
	if f.To == "" && len(known) > 0 {
		fmt.Fprintf(a.Stderr, "known: %s\n", handoff.EscapeLine(strings.Join(known[:min(len(known), 20)], ", ")))
	}
	about := topicQuestion
	about.text, about.needed = about.text+"; empty: the first heading of the text", ""
	return askFor(a, (*handoff.Document)(f), toQuestion, about, tagsQuestion)
}

// askFor asks for missing fields of the frontmatter, and repeats a question if the answer cannot be stored.
func askFor(a *cli.App, doc *handoff.Document, questions ...question) error {
	flags := *doc
	flags.To = cmp.Or(flags.To, flags.From)
	if err := try(a, flags); err != nil {
		return err
	}
	for _, q := range questions {
		for q.field(doc, "") == "" {
			answer, err := answerTo(a, q.text)
			if err != nil {
				return err
			}
			if answer == "" && q.needed == "" {
				break
			}
			tried := *doc
			why := q.needed
			if q.field(&tried, answer) != "" {
				if err := try(a, tried); err == nil {
					*doc = tried
					break
				} else {
					why = err.Error()
				}
			}
			fmt.Fprintln(a.Stderr, handoff.EscapeLine(why))
		}
	}
	return nil
}

// try returns an error if no text can be stored with this frontmatter.
func try(a *cli.App, d handoff.Document) error {
	in := cli.Input{App: a, Fields: cli.Fields(d)}
	return in.Try(in.Filled("", []byte(standard)))
}
