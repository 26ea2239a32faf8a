package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
)

// MaxInput is the largest input in bytes. The limit of the store is smaller.
const MaxInput = 4 << 20

// An input turns the arguments of write into documents.
type Input struct {
	*App
	Fields     Fields
	Recording  Recording
	ForWork    bool   // the setting record_work counts, as for standard input
	Kind       string // of every record; "" to detect it
	AllowEmpty []string
	me         *string // the operator who runs the program, once known
	alone      *bool   // whether the sender works here alone, once known
	At         string  // the time of documents without one; "" is now
	Took       string  // the time that documents without one got
	Typed      []byte  // the text that the user typed, nil if none
	Headless   bool    // a text has no frontmatter, and there are no flags for one

	to []string // the recipients, each of which gets a document; nil if they are not known yet
	// the options of records, by recipient; shared, so that all get the same time
	records map[string]record.Options
}

// Sources reads all inputs.
func (in *Input) Sources(paths []string) (sources []handoff.Source, err error) {
	var errs []error
	for _, path := range paths {
		more, err := in.open(path)
		sources, errs = append(sources, more...), fault.Add(errs, err)
	}
	return sources, FirstOf(errs)
}

func (in *Input) open(path string) ([]handoff.Source, error) {
	if path == "-" {
		return in.standardInput()
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, InputError(path, err)
	}
	if info.IsDir() {
		return in.directory(path)
	}
	return in.file(path, in.Kind != "")
}

// file returns the sources of one file, one for each recipient. isRecord is set if it is a record whatever its text
// looks like.
func (in *Input) file(path string, isRecord bool) ([]handoff.Source, error) {
	text, err := ReadInput(path)
	if err != nil {
		return nil, err
	}
	isRecord = isRecord || filepath.Ext(path) == ".json"
	return in.forEach(func(f Fields) (handoff.Source, error) {
		source, err := in.text(f, path, text, isRecord)
		if err != nil {
			return source, err
		}
		in.Headless = in.Headless || isHeadless(source)
		return source, nil
	})
}

func (in *Input) standardInput() ([]handoff.Source, error) {
	name, text, err := in.ReadNamed("-")
	if err != nil {
		return nil, err
	}
	in.ForWork = true
	sources, err := in.Text(name, text)
	in.Headless = in.Headless || slices.ContainsFunc(sources, isHeadless)
	return sources, err
}

// ReadNamed is App.ReadNamed. The fields are checked before the user types a text.
func (in *Input) ReadNamed(path string) (name string, text []byte, err error) {
	isTyped := path == "-" && in.CanAsk()
	if isTyped {
		if err := in.checkFields(); err != nil {
			return "", nil, err
		}
		in.Note("reading standard input until Ctrl-D")
	}
	if name, text, err = in.App.ReadNamed(path); isTyped {
		in.Typed = text
	}
	return name, text, err
}

// Kept keeps a typed text that could not be stored in the user's state. It returns why, with the command that stores
// it.
func (in *Input) Kept(why error) error {
	if why == nil || len(bytes.TrimSpace(in.Typed)) == 0 {
		return why
	}
	path, err := keep(memory.State(in.Getenv), in.Typed)
	if err != nil {
		return WithHint(why, "your text is not kept: copy it from the terminal")
	}
	line := "handoff"
	for _, word := range append(slices.Clone(in.Args), path) {
		if strings.Trim(word, memory.Letters+"._:/@,=") != "" {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		if word == path {
			line += " <"
		}
		line += " " + word
	}
	return WithHint(why, "your text is kept; correct the command if needed: `"+line+"`")
}

// keep writes a text to a new file that only the user can read.
func keep(state string, text []byte) (path string, err error) {
	if state == "" {
		return "", fs.ErrNotExist
	}
	dir := filepath.Join(state, "kept")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "*.md")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return f.Name(), errors.Join(err, f.Close())
}

// checkFields returns an error if no text can be stored with these flags. It runs before the user types one.
func (in *Input) checkFields() error {
	if !in.Fields.Given() || in.Kind != "" {
		return nil
	}
	before := *in
	return in.Try(before.Filled("standard input", []byte("# Any text\n")))
}

// Try returns an error if one of the sources cannot be stored.
func (in *Input) Try(sources []handoff.Source, err error) error {
	if err != nil {
		return err
	}
	_, s, err := in.NewStore()
	if err != nil {
		return err
	}
	return s.Try(sources)
}

// TextSource returns the source that stores a text as `handoff write -` does, with these flags.
func (a *App) TextSource(name string, text []byte, f Fields, kind string, r Recording) (handoff.Source, error) {
	if err := checkReferences(f.References); err != nil {
		return handoff.Source{}, err
	}
	return (&Input{App: a, Fields: f, Kind: kind, Recording: r, ForWork: true}).text(f, name, text, kind != "")
}

// Text returns the sources of a text without a file, one for each recipient. It is a record with --kind or if it has
// the shape of one. Otherwise it is a body if there are flags for the frontmatter, and a document with its own
// frontmatter if not.
func (in *Input) Text(name string, text []byte) ([]handoff.Source, error) {
	return in.forEach(func(f Fields) (handoff.Source, error) { return in.text(f, name, text, in.Kind != "") })
}

// Filled returns the sources of a text, one for each recipient. What its frontmatter lacks comes from the flags and the
// defaults.
func (in *Input) Filled(name string, text []byte) ([]handoff.Source, error) {
	return in.forEach(func(f Fields) (handoff.Source, error) { return in.markdown(f, name, text) })
}

func (in *Input) text(f Fields, name string, text []byte, isRecord bool) (handoff.Source, error) {
	given, object := f.Given(), LooksLikeObject(text)
	switch {
	case isRecord, object && (!given || record.Detect(text) != ""):
		return in.record(f, name, text)
	case object:
		in.Note(name + " is not a known record, so it is stored as text; --kind makes it a record")
	case !given && !in.Recording.isGiven() && !in.isForNext(text):
		return handoff.Source{Name: name, Text: text}, nil
	}
	return in.markdown(f, name, text)
}

// LooksLikeObject reports whether a text begins like a JSON object.
func LooksLikeObject(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("{"))
}

// directory returns the documents and records of a directory by name, without subdirectories.
func (in *Input) directory(dir string) ([]handoff.Source, error) {
	paths, err := Documents(dir)
	if err != nil {
		return nil, err
	}
	var sources []handoff.Source
	var errs []error
	for _, path := range paths {
		more, err := in.file(path, false)
		sources, errs = append(sources, more...), fault.Add(errs, err)
	}
	return sources, FirstOf(errs)
}

// Documents returns the *.md and *.json files of a directory by name. If there are none, it is an error. So is a link:
// git may have brought it, and it may lead to a file that nobody wants to hand over.
func Documents(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, InputError(dir, err)
	}
	for _, e := range entries {
		path, ext := filepath.Join(dir, e.Name()), filepath.Ext(e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || ext != ".md" && ext != ".json" || e.IsDir():
		case e.Type()&fs.ModeSymlink != 0:
			return nil, Invalid("name the file that is meant, or remove the link", "%s is a link", path)
		default:
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, Invalid("", "%s has no *.md or *.json files", dir)
	}
	return paths, nil
}

// ReadInput reads a regular file of at most MaxInput bytes. It never waits for a FIFO.
func ReadInput(path string) ([]byte, error) {
	f, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, path, MaxInput)
}

// ReadAll reads all of an input, which has a name in messages and may have most bytes.
func ReadAll(from io.Reader, name string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		err = InputError(name, err)
	case int64(len(text)) > most:
		err = Invalid("shorten it", "%s has more than %d bytes", name, most)
	}
	return text, err
}

// ReadNamed reads a file, or standard input for "-", and returns its name in messages.
func (a *App) ReadNamed(path string) (name string, text []byte, err error) {
	if path == "-" {
		text, err = ReadAll(a.Stdin, "standard input", MaxInput)
		return "standard input", text, err
	}
	text, err = ReadInput(path)
	return path, text, err
}

// OpenInput opens a regular file as ReadInput does.
func OpenInput(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, InputError(path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = InputError(path, err)
	case info.IsDir():
		err = Invalid("name a file in it", "%s is a directory", path)
	case !info.Mode().IsRegular():
		err = Invalid("name - in place of the path, and redirect standard input: - <"+path, "%s is not a regular file",
			path)
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}

// InputError returns why an input cannot be read. A wrong path is invalid input.
func InputError(path string, err error) error {
	return pathError("read", path, err)
}

// OutputError is InputError for an output.
func OutputError(path string, err error) error {
	return pathError("write", path, err)
}

func pathError(do, path string, err error) error {
	var reason syscall.Errno
	why := err.Error()
	if errors.As(err, &reason) {
		why = reason.Error()
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.EISDIR) ||
		errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG) {
		return Invalid("check the path", "cannot "+do+" %s: %s", path, why)
	}
	return fmt.Errorf("nothing stored: cannot %s %s: %w", do, path, err)
}
