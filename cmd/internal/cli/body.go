package cli

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// body is what --allow-empty calls the text of a plain handoff.
const body = "body"

// hasFrontmatter says whether a text is to be read as a document with its own frontmatter, be it broken.
func hasFrontmatter(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("\n"))
	return string(bytes.TrimRight(first, " \t\r")) == "---"
}

// isHeadless says whether a source is a text without a frontmatter, for which nothing else says what it would.
func isHeadless(source handoff.Source) bool {
	return len(source.Text) > 0 && !hasFrontmatter(source.Text)
}

// markdown returns the source of any Markdown for which flags are given: a document whose frontmatter may lack what they
// and the defaults say, or a body.
func (in *Input) markdown(name string, text []byte) (handoff.Source, error) {
	if hasFrontmatter(text) {
		if in.Recording.given() {
			return handoff.Source{}, Invalid("leave them out; they are for a handoff whose frontmatter is made here", "%s brings its own frontmatter; --work and --file would change it", name)
		}
		said := handoff.Document(in.Fields)
		return in.Document(handoff.Source{Name: name, Text: text, Said: &said, Usual: in.usual})
	}
	fields, err := in.recorded()
	if err != nil {
		return handoff.Source{}, err
	}
	doc, err := in.Composed(name, fields, string(text), in.allowsEmpty())
	if err != nil {
		return handoff.Source{}, err
	}
	if in.Fields.Time == "" {
		doc.Time = in.now()
	}
	if in.Fields.Time == "" && in.Fields.Topic == "" {
		if doc, err = in.sameAgain(doc); err != nil {
			return handoff.Source{}, err
		}
	}
	return in.Document(handoff.Source{Name: name, Fields: &doc})
}

// sameAgain returns a document with the time of one that says the same, of the same sender to the same recipient,
// within ten minutes: somebody has sent it twice by mistake.
func (in *Input) sameAgain(doc handoff.Document) (handoff.Document, error) {
	_, s, err := in.quietly().NewStore()
	if err != nil {
		return doc, err
	}
	return s.Repeated(doc, 10*time.Minute), nil
}

// usual is what a frontmatter says where nobody says otherwise.
func (in *Input) usual(text string) handoff.Document {
	return handoff.Document{SchemaVersion: "1.0", From: in.self(), Time: in.now(), Topic: handoff.TopicOf(text)}
}

// self is who runs the program; asked once, since git may have to say it.
func (in *Input) self() string {
	if in.me == nil {
		me := ""
		if p, err := in.Project(); err == nil {
			me = p.Me()
		}
		in.me = &me
	}
	return *in.me
}

// now is the time of all documents that have none of their own.
func (in *Input) now() string {
	in.Took = cmp.Or(in.Took, in.At, in.UTCNow())
	return in.Took
}

func (in *Input) allowsEmpty() bool {
	for _, field := range in.AllowEmpty {
		if field == body {
			return true
		}
	}
	return false
}

// Composed returns the document of a body that people give by itself. From is whoever runs the program, the topic the
// first heading, unless flags say otherwise. A body without a word in it is probably a mistake.
func (a *App) Composed(name string, f Fields, text string, allowEmpty bool) (handoff.Document, error) {
	doc := f.Document(text)
	if doc.From == "" {
		if p, err := a.Project(); err == nil {
			doc.From = p.Me()
		}
	}
	doc.Topic = cmp.Or(doc.Topic, handoff.TopicOf(text))
	switch {
	case doc.From == "":
		return doc, Nobody("I don't know who you are", "--from")
	case doc.To == "":
		return doc, Invalid("add --to NAME", "%s: no recipient", name)
	case !allowEmpty && strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "":
		return doc, Invalid("write what the recipient needs, or add --allow-empty", "%s is empty", name)
	}
	return doc, nil
}

// sayEmpty gives --allow-empty without a field the one that a plain handoff has: its body.
func sayEmpty(args []string) []string {
	isField := func(arg string) bool { return arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyz_") == "" }
	said := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--allow-empty" && (i+1 == len(args) || !isField(args[i+1])) {
			arg += "=" + body
		}
		if said = append(said, arg); arg == "--" {
			return append(said, args[i+1:]...)
		}
	}
	return said
}

// answer reads the text of an answer.
func (in *Input) Answer(path string) (name string, text []byte, err error) {
	if path == "-" {
		text, err = in.ReadStdin(MaxInput)
		return "standard input", text, err
	}
	text, err = ReadInput(path)
	return path, text, err
}
