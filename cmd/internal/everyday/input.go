package everyday

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// MaxInput is how many bytes one input may have; the store has a smaller limit of its own.
const MaxInput = 4 << 20

// An input turns the arguments of write into documents.
type input struct {
	*App
	fields Fields
	kind   string // of every record, "" for what its shape says
	body   bool   // a body without frontmatter is among the sources
	took   string // the time that was taken because none was given

	shared *record.Options // of all records: they get one time, and the store is read once
}

// sources reads every input. Errors about some of them come together with what the others hold.
func (in *input) sources(paths []string, stdin0 bool) ([]handoff.Source, error) {
	if stdin0 {
		list, err := ReadAll(in.Stdin, 64<<20)
		if err != nil {
			return nil, err
		}
		for path := range strings.SplitSeq(string(list), "\x00") {
			if path != "" {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return nil, Invalid("name a file or directory, or - for standard input", "nothing to write")
	}
	var sources []handoff.Source
	var errs []error
	for _, path := range paths {
		more, err := in.open(path)
		sources, errs = append(sources, more...), append(errs, err)
	}
	if len(sources) > 1 && in.body {
		return nil, Invalid("give them for one document only", "--from, --to, --topic, --ts, --tag and --ref cannot apply to %d documents", len(sources))
	}
	return sources, firstOf(errs)
}

func (in *input) open(path string) ([]handoff.Source, error) {
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
	return in.file(path, in.kind != "")
}

// file returns the source of one file; forced says that it is a record whatever it looks like.
func (in *input) file(path string, forced bool) ([]handoff.Source, error) {
	text, err := ReadInput(path)
	if err != nil {
		return nil, err
	}
	if forced || isRecord(path, text) {
		return []handoff.Source{in.record(path, text)}, nil
	}
	if in.fields.given() {
		return nil, Invalid("use `handoff write - … <"+path+"` for a body without frontmatter", "%s brings its own frontmatter; --from, --to, --topic, --ts, --tag and --ref go with - and with records", path)
	}
	return []handoff.Source{{Name: path, Text: text}}, nil
}

func (in *input) standardInput() ([]handoff.Source, error) {
	text, err := ReadAll(in.Stdin, MaxInput)
	if err != nil {
		return nil, err
	}
	return []handoff.Source{in.text("standard input", text)}, nil
}

// text returns the source of a text without a file name.
func (in *input) text(name string, text []byte) handoff.Source {
	source, taken := record.TextSource(name, text, in.options())
	if taken == record.TakenAsPlainJSON {
		in.Note(name + " has the shape of no record and is taken for the text of a plain handoff; --kind says otherwise")
	}
	in.body = in.body || taken == record.TakenAsBody || taken == record.TakenAsPlainJSON
	return source
}

// isRecord says whether an input is a record as JSON: by its name, or because it begins like an object, which
// no frontmatter does.
func isRecord(path string, text []byte) bool {
	return filepath.Ext(path) == ".json" || record.Looks(text)
}

// record returns the source of a record, which is read once the store has found its machine.
func (in *input) record(name string, text []byte) handoff.Source {
	if in.shared == nil {
		o := in.options()
		in.shared = &o
	}
	return record.Source(name, text, *in.shared)
}

func (in *input) options() record.Options {
	f := in.fields
	return record.Options{
		Kind: in.kind, Rules: schema.Universal(),
		Head:   record.Head{From: f.From, To: f.To, Topic: f.Topic, Time: f.TS, Tags: f.Tags, References: f.Refs},
		Redact: in.Gate.Redact, Allow: in.Gate.Allow,
		Carried: record.Carried(in.Store), Project: in.ProjectName,
		Now: sync.OnceValue(func() string {
			in.took = UTCNow()
			return in.took
		}),
	}
}

// ProjectName is the project of records that name none.
func (a *App) ProjectName() string {
	p, err := a.Project()
	if err != nil {
		return "" // opening the store says why
	}
	return filepath.Base(p.Root)
}

// directory returns the documents and records of a directory, not of those below, by name.
func (in *input) directory(dir string) ([]handoff.Source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, InputError(dir, err)
	}
	var sources []handoff.Source
	var errs []error
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if strings.HasPrefix(e.Name(), ".") || ext != ".md" && ext != ".json" || e.IsDir() {
			continue
		}
		more, err := in.file(filepath.Join(dir, e.Name()), false)
		sources, errs = append(sources, more...), append(errs, err)
	}
	if len(sources) == 0 && firstOf(errs) == nil {
		errs = append(errs, Invalid("", "%s holds no *.md or *.json file", dir))
	}
	return sources, firstOf(errs)
}

// ReadInput reads a regular file. It never waits for the other end of a FIFO.
func ReadInput(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, InputError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, InputError(path, err)
	}
	if info.IsDir() {
		return nil, Invalid("name a file in it", "%s is a directory", path)
	}
	if !info.Mode().IsRegular() {
		return nil, Invalid("use - and redirect standard input, such as `handoff write - <"+path+"`", "%s is not a regular file", path)
	}
	text := bytes.NewBuffer(make([]byte, 0, min(info.Size(), MaxInput)+bytes.MinRead))
	if _, err := io.Copy(text, io.LimitReader(f, MaxInput+1)); err != nil {
		return nil, InputError(path, err)
	}
	if text.Len() > MaxInput {
		return nil, Invalid("shorten it", "%s has more than %d bytes", path, MaxInput)
	}
	return text.Bytes(), nil
}

// InputError says why an input cannot be read. A path that is wrong is invalid input.
func InputError(path string, err error) error {
	var reason syscall.Errno
	why := err.Error()
	if errors.As(err, &reason) {
		why = reason.Error()
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG) {
		return Invalid("check the path", "cannot read %s: %s", path, why)
	}
	return fmt.Errorf("nothing was published: cannot read %s: %w", path, err)
}
