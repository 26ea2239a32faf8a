package cli

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Body is the name of the text of a plain handoff in --allow-empty.
const Body = "body"

// HasFrontmatter reports whether a text begins with a frontmatter, valid or not.
func HasFrontmatter(text []byte) bool {
	first := bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if end := bytes.IndexAny(first, "\r\n"); end >= 0 { // as in a document, a CR alone ends a line too
		first = first[:end]
	}
	return string(bytes.TrimRight(first, " \t")) == "---"
}

// isHeadless reports whether a source is a text without a frontmatter, and without flags for one.
func isHeadless(source handoff.Source) bool {
	return len(source.Text) > 0 && !HasFrontmatter(source.Text)
}

// markdown returns the source of Markdown with flags. The text is a body, or a document whose frontmatter may lack
// fields that flags and defaults add.
func (in *Input) markdown(f Fields, name string, text []byte) (handoff.Source, error) {
	if HasFrontmatter(text) {
		if in.Recording.isGiven() {
			return handoff.Source{}, Invalid("remove --work and --file",
				"%s has a frontmatter of its own, which --work and --file would change", name)
		}
		flags := handoff.Document(f)
		return handoff.Source{Name: name, Text: text, Expected: &flags, Defaults: in.defaults}, nil
	}
	doc, err := in.composed(f, name, string(text))
	if err == nil && f.Time == "" {
		doc.Time = in.Stamp()
	}
	if err != nil {
		return handoff.Source{}, err
	}
	return handoff.Source{Name: name, Fields: &doc}, nil
}

// defaults returns the default values of a frontmatter.
func (in *Input) defaults(text string) handoff.Document {
	return handoff.Document{SchemaVersion: "1.0", From: in.self(), Time: in.Stamp(), Topic: in.topicOf(text)}
}

// topicOf returns the topic of a text, without the credentials that are redacted: in lower case, no rule finds them.
func (in *Input) topicOf(text string) string {
	if in.Gate.Redact {
		text = handoff.Redacted(text, in.Gate.AllowSecret)
	}
	return handoff.TopicOf(text)
}

// isAlone reports whether the sender works here alone. It looks once.
func (in *Input) isAlone() bool {
	if in.alone == nil {
		s := in.Quietly()
		is := s != nil && s.Registry().IsAlone(in.sender())
		in.alone = &is
	}
	return *in.alone
}

// isForNext reports whether a text without a frontmatter, and without any flags for one, is a handoff to whoever works
// here next: its sender works here alone.
func (in *Input) isForNext(text []byte) bool {
	return !HasFrontmatter(text) && len(bytes.TrimSpace(text)) > 0 && in.isAlone()
}

// self returns the operator who runs the program. It looks once, since it may have to run git.
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

// Stamp returns the time for all documents without one.
func (in *Input) Stamp() string {
	in.Took = cmp.Or(in.Took, in.At, in.UTCNow())
	return in.Took
}

// composed returns the document of a body without a frontmatter. Without flags, the sender is the user and the topic
// comes from the first heading. An empty body is an error, unless it is allowed.
func (in *Input) composed(f Fields, name, text string) (handoff.Document, error) {
	f, err := in.recorded(f)
	if err != nil {
		return handoff.Document{}, err
	}
	if f.To == "" && in.isAlone() {
		f.To = handoff.Next
	}
	f.From, f.Topic = in.sender(), cmp.Or(f.Topic, in.topicOf(text))
	switch {
	case f.From == "":
		err = UnknownOperator("--from")
	case f.To == "":
		err = Invalid("add --to NAME", "%s", strings.TrimPrefix(name+": no recipient", ": "))
	case !slices.Contains(in.AllowEmpty, Body) && strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "":
		err = WithHint(Invalid("an empty text needs --allow-empty", "%s is empty", name),
			"write what the recipient needs")
	}
	return f.Document(text), err
}

// completeAllowEmpty replaces --allow-empty without a value by --allow-empty=body.
func completeAllowEmpty(args []string) []string {
	isField := func(arg string) bool { return arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyz_") == "" }
	all := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--allow-empty" && (i+1 == len(args) || !isField(args[i+1])) {
			arg += "=" + Body
		}
		if all = append(all, arg); arg == "--" {
			return append(all, args[i+1:]...)
		}
	}
	return all
}

// Piped returns the sources of the text that is piped into a command, nil if there is none. It waits for the end of a
// pipe or a file, not for a terminal or a device.
func (in *Input) Piped() ([]handoff.Source, error) {
	if file, ok := in.Stdin.(*os.File); ok {
		info, err := file.Stat()
		if err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil, nil // closed, or nothing is piped
		}
	}
	text, err := ReadAll(in.Stdin, "standard input", MaxInput)
	if err != nil || len(text) == 0 && len(in.AllowEmpty) == 0 {
		return nil, err
	}
	if !HasFrontmatter(text) && !LooksLikeObject(text) {
		return in.Filled("standard input", text)
	}
	return in.Text("standard input", text)
}
