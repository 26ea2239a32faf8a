package whole

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// standard is the template of a project that has none: the questions that a good handoff answers.
const standard = `# Where it stands

# What is open

# What to do next

# What to beware of
`

const templates = ".handoff/templates" // of a project, a file NAME.md each; default.md is that of who names none

// templateOf returns the text to begin with. A project's templates came with it: they are plain files, and are only shown.
func templateOf(p handoff.Project, name string) (string, error) {
	path := filepath.Join(p.Root, filepath.FromSlash(templates), name+".md")
	if name == "" {
		path = filepath.Join(filepath.Dir(path), "default.md")
	} else if err := handoff.CheckOperator(name); err != nil {
		return "", everyday.Invalid("it is the name of a file in "+templates+", without .md", "%q is not the name of a template", name)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil && name == "":
		return standard, nil
	case err != nil:
		return "", everyday.Invalid("there is "+strings.Join(templateNames(p), ", "), "there is no template %q", name)
	case !info.Mode().IsRegular():
		return "", everyday.Invalid("put a file there", "the template %s is not a regular file", path)
	}
	text, err := everyday.ReadInput(path)
	return string(text), err
}

func templateNames(p handoff.Project) []string {
	names := []string{}
	files, _ := filepath.Glob(filepath.Join(p.Root, filepath.FromSlash(templates), "*.md")) // the pattern is good
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".md"))
	}
	return append(names, "default")
}

// askHead asks a person for what the flags do not say: to, topic and tags.
func (a *app) askHead(f *everyday.Fields) error {
	if f.To != "" && f.Topic != "" {
		return nil
	}
	if known := a.KnownOperators(); f.To == "" && len(known) > 0 {
		a.Note("known are " + strings.Join(known[:min(len(known), 20)], ", "))
	}
	in, tags := bufio.NewReader(a.Stdin), strings.Join(f.Tags, " ")
	for _, q := range []struct {
		question string
		value    *string
	}{{"to: who takes over", &f.To}, {"topic: what it is about, a slug; empty takes the first heading of the text", &f.Topic}, {"tags: slugs, if any; then the editor opens", &tags}} {
		if *q.value != "" {
			continue
		}
		answer, err := answerTo(a, in, q.question)
		if err != nil {
			return err
		}
		*q.value = answer
	}
	f.Tags = strings.FieldsFunc(tags, func(r rune) bool { return r == ' ' || r == ',' })
	return nil
}
