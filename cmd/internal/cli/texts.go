package cli

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/kind"
)

// Body is the name of the text of a plain handoff in --allow-empty.
const Body = "body"

// A Writing holds the flags of a command that stores texts, and stores them: Read, then Store.
type Writing struct {
	*App
	Fields
	Relating
	Recording
	Message    string
	Kind       string // of every record; "" to detect it
	AllowEmpty []string

	isSafe  bool           // the text was stored or kept
	Command *cobra.Command // which a text that cannot be stored is kept for
	IDs     []string       // its arguments before the text

	project handoff.Project // see open
	store   *handoff.Store
	self    func() string // the sender, "" if unknown

	texts    []text
	loose    []byte         // a text without a file
	at, took string         // the time for documents without one, and the one that they got
	about    *handoff.Entry // what the text answers or replaces
	isReply  bool           // it answers
	to       []string       // the recipients; each gets a document
}

// A text is what a document is made from.
type text struct {
	name  string // in messages
	bytes []byte
	file  string // its path; "" if it has none

	isListed bool // in a directory, which can have other files than records
}

// Declare adds the flags.
func (w *Writing) Declare(cmd *cobra.Command) {
	w.Command = cmd
	flags := cmd.Flags()
	flags.StringVarP(&w.Message, "message", "m", "", "the `text`")
	w.Fields.Declare(flags)
	w.Relating.Declare(flags)
	w.Recording.Declare(flags)
	flags.StringArrayVar(&w.Files, "file", nil, "record this file (`path`), for check to compare; can be repeated")
	w.Gate.Declare(flags)
	w.Signing.Declare(flags)
	w.DeclareAllowEmpty(cmd)
	for _, rare := range []string{"ref", "ts"} {
		flags.Lookup(rare).Hidden = true
	}
}

// DeclareAllowEmpty adds the flag that help does not list.
func (w *Writing) DeclareAllowEmpty(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&w.AllowEmpty, "allow-empty", nil, "accept an empty text, or this empty `field` of a record")
	flags.Lookup("allow-empty").Hidden = true
}

// open loads the project once.
func (w *Writing) open() (err error) {
	if w.store == nil {
		w.project, w.store, err = w.NewStore()
		w.self = sync.OnceValue(func() string { return cmp.Or(w.From, w.project.Options.Me()) })
	}
	return err
}

// Read reads what the files, the message, a pipe or the editor say. It checks the flags first, and the rights of a text
// that would be lost. Without a text, as when the editor is left as it was, Store stores nothing.
func (w *Writing) Read(files []string) error {
	err := w.prepare()
	if err == nil {
		err = w.read(files)
	}
	return w.Kept(err, files)
}

func (w *Writing) read(files []string) error {
	switch {
	case w.Message != "" && len(files) > 0:
		return Invalid("remove one", "--message conflicts with %q", files[0])
	case len(files) > 0:
		var errs []error
		for _, path := range files {
			errs = append(errs, w.readFile(path))
		}
		return errors.Join(errs...)
	case w.Message != "":
		w.add([]byte(w.Message))
		return nil
	}
	if err := w.tryFlags(); err != nil {
		return err
	}
	piped, err := w.piped()
	if err != nil || len(piped) > 0 || piped != nil && len(w.AllowEmpty) > 0 {
		w.add(piped)
		return err
	}
	return w.readEditor()
}

// add adds a text without a file.
func (w *Writing) add(loose []byte) {
	w.loose = loose
	w.texts = append(w.texts, text{bytes: loose})
}

// piped returns the text that is piped into the command, nil if there is none. It waits for the end of a pipe or a
// file, not for a terminal or a device.
func (w *Writing) piped() ([]byte, error) {
	if file, ok := w.Stdin.(*os.File); ok {
		info, err := file.Stat()
		if err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil, nil // closed, or nothing is piped
		}
	}
	return ReadAll(w.Stdin, "standard input", maxPiped)
}

// readFile reads a file, a directory, or standard input for "-".
func (w *Writing) readFile(path string) error {
	if path == "-" {
		if err := w.tryFlags(); err != nil {
			return err
		}
		if w.CanAsk() {
			w.Note("reading standard input until Ctrl-D")
		}
		var err error
		w.loose, err = ReadAll(w.Stdin, "standard input", maxPiped)
		w.texts = append(w.texts, text{name: "standard input", bytes: w.loose})
		return err
	}
	paths := []string{path}
	info, err := os.Stat(path)
	switch {
	case err != nil && w.Command.Flag("message") != nil &&
		(!strings.ContainsAny(path, `./\`) || strings.Contains(path, " ")):
		more := []string{"-m", path}
		if w.To == "" && w.about == nil {
			more = append(more, "--to", "NAME")
		}
		return Invalid("to send it as text: `"+w.line(nil, more...)+"`", "%q is not a file", path)
	case err != nil:
		return InputError(path, err)
	case info.IsDir():
		if paths, err = Documents(path); err != nil {
			return err
		}
	}
	for _, path := range paths {
		content, err := w.readBody(path)
		if err != nil {
			return err
		}
		w.texts = append(w.texts, text{path, content, path, info.IsDir()})
	}
	return nil
}

// readBody reads a file. An agent may be told to hand over what it can read, so for one it lies in the project.
func (w *Writing) readBody(path string) ([]byte, error) {
	inside := agent.Inside(w.Getenv)
	if inside != "" && !handoff.Within(w.project.Root, path) && !handoff.Within(w.project.Work, path) {
		return nil, Invalid("copy what the recipient needs into a file of the project",
			"%s is outside of the project, and %s may not hand it over", path, inside)
	}
	return ReadInput(path)
}

// tryFlags returns an error if a text could not be stored with these flags, before it is read.
func (w *Writing) tryFlags() error {
	if w.To == "" && w.about == nil || w.Kind != "" || w.self() == "" {
		return nil
	}
	w.texts = []text{{bytes: []byte("# Any text\n")}}
	defer func() { w.texts = nil }()
	return w.Try()
}

// Try returns an error if the texts cannot be stored.
func (w *Writing) Try() error {
	sources, err := w.sources()
	if err == nil {
		err = w.store.Try(sources)
	}
	return err
}

// Store stores a document for each text and recipient, all or none, and prints the receipts. at is the time of those
// without one; "" is now. A text without a file that cannot be stored is kept.
func (w *Writing) Store(at string) error {
	if len(w.texts) == 0 {
		return nil
	}
	w.at = at
	sources, err := w.sources()
	if err == nil {
		w.replaceOlder(sources)
		err = w.Write(sources)
		w.isSafe = err == nil
	}
	return w.Kept(err, nil)
}

func (w *Writing) sources() (sources []handoff.Source, err error) {
	for _, t := range w.texts {
		for _, to := range w.to {
			f := w.Fields
			f.To = to
			source, err := w.source(f, t)
			if err != nil {
				return nil, err
			}
			sources = append(sources, source)
		}
	}
	return sources, nil
}

// source returns the source of a text for one recipient: a record, or a text with what its frontmatter lacks.
func (w *Writing) source(f Fields, t text) (handoff.Source, error) {
	if w.Kind != "" && (!t.isListed || LooksLikeObject(t.bytes)) || isRecord(t) {
		f.To = cmp.Or(f.To, w.inherited().To)
		return w.record(f, t.name, t.bytes)
	}
	if LooksLikeObject(t.bytes) {
		w.Note(cmp.Or(t.name, "the message") + " is no known record, so it is stored as text; --kind KIND insists")
	}
	isOurs := handoff.HasFrontmatter(t.bytes)
	if isOurs && w.Recording.isGiven() {
		return handoff.Source{}, Invalid("remove --work and --file",
			"%s has a frontmatter of its own, which --work and --file would change", t.name)
	}
	if !isOurs {
		refs, err := w.Recording.References(w.App, true)
		if err != nil {
			return handoff.Source{}, err
		}
		f.References = append(slices.Clip(f.References), refs...)
	}
	given := handoff.Document(f)
	return handoff.Source{Name: t.name, Text: t.bytes, File: w.below(t.file), Given: &given, Defaults: w.defaults,
		AllowEmpty: slices.Contains(w.AllowEmpty, Body)}, nil
}

// below returns the path of a file relative to the project root, "" if it is not below it.
func (w *Writing) below(file string) string {
	if file == "" || !handoff.Within(w.project.Root, file) {
		return ""
	}
	file, err := filepath.Abs(file)
	if err == nil {
		file, err = filepath.Rel(w.project.Root, file)
	}
	if err != nil || strings.HasPrefix(file, "..") {
		return ""
	}
	return filepath.ToSlash(file)
}

// isRecord reports whether a text is a record: JSON of a known kind, or a file of JSON with a slip.
func isRecord(t text) bool {
	shape, broken := "", error(nil)
	isFile := filepath.Ext(t.name) == ".json"
	if isFile || LooksLikeObject(t.bytes) {
		shape, broken = kind.Shape(t.bytes)
	}
	return shape != "" || isFile && broken != nil
}

// LooksLikeObject reports whether a text begins like a JSON object.
func LooksLikeObject(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("{"))
}

// TextSource returns the source that stores a text as write does, with these fields.
func (a *App) TextSource(name string, body []byte, f Fields, kind string, r Recording) (handoff.Source, error) {
	w := &Writing{App: a, Fields: f, Kind: kind, Recording: r}
	if err := cmp.Or(checkReferences(f.References), w.open()); err != nil {
		return handoff.Source{}, err
	}
	return w.source(f, text{name: name, bytes: body})
}

// defaults returns the default values of a frontmatter.
func (w *Writing) defaults(body string) handoff.Document {
	doc := w.inherited()
	doc.SchemaVersion, doc.From, doc.Time, doc.References = "1.0", cmp.Or(w.self(), doc.From), w.stamp(), nil
	if w.Gate.Redact { // in lower case, no rule finds a credential
		body = handoff.Redacted(body, w.Gate.AllowSecret)
	}
	doc.Topic = cmp.Or(doc.Topic, handoff.TopicOf(body))
	return doc
}

// inherited returns what the text has from the handoff that it answers or replaces.
func (w *Writing) inherited() handoff.Document {
	if w.about == nil {
		return handoff.Document{}
	}
	me := w.self()
	if !w.isReply && (me == w.about.From || !w.about.IsTo(me)) {
		return handoff.Supersede(*w.about)
	}
	return handoff.Reply(*w.about, me)
}

// stamp returns the time for all documents without one.
func (w *Writing) stamp() string {
	if w.took == "" || w.at != "" {
		w.took = cmp.Or(w.at, w.UTCNow())
	}
	return w.took
}

// completeAllowEmpty replaces --allow-empty without a value by --allow-empty=body.
func completeAllowEmpty(args []string) []string {
	isField := func(arg string) bool { return arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyz_") == "" }
	all := slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--allow-empty" && (i+1 == len(args) || !isField(args[i+1])) {
			all[i] += "=" + Body
		}
	}
	return all
}
