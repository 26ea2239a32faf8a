package check

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A file is a file of the handoffs directory that has the name of a document. The zero file does not exist.
type file struct {
	id        string // "" if it is no document
	why       error  // then, why
	isPointer bool   // Git LFS has its content
	signature error  // what is wrong with it, or nil
}

// isUnknown reports whether a file could not be read, which proves nothing about it.
func (f file) isUnknown() bool { return f.why != nil && !errors.Is(f.why, fault.ErrIntegrity) }

// files are the documents of a store.
type files struct {
	*store.Store
	dir   *disk.Dir
	signs *disk.Dir // nil without signatures
	by    map[string]file
	git   map[string]bool // the files that git tracks; see restore
}

const lfsPull = "git lfs pull"

const atOnce = 100 // documents between two reports of progress

// prove reads files and proves each by its id.
func (f *files) prove(ctx context.Context, names []string) error {
	done := 0
	for some := range slices.Chunk(names, atOnce) {
		found := make([]file, len(some))
		disk.Each(len(some), 2*runtime.GOMAXPROCS(0), func(i int) { found[i] = f.proveOne(some[i]) })
		for i, name := range some {
			if delete(f.by, name); found[i] != (file{}) {
				f.by[name] = found[i]
			}
		}
		done += len(some)
		if f.Progress("verifying", done, len(names)); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (f *files) proveOne(name string) (found file) {
	doc, text, err := f.Prove(f.dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		found.why = err
		found.isPointer = store.IsPointer(text)
	default:
		found.id = doc.HandoffID
		found.signature = f.checkSignature(doc, text)
	}
	return found
}

// checkSignature returns an error if a document has a signature that does not match its text.
func (f *files) checkSignature(doc store.Document, text []byte) error {
	if f.signs == nil || f.Opt.VerifySignature == nil {
		return nil
	}
	armored, err := f.signs.Read(disk.SignatureFile(doc.HandoffID), disk.MaxSignature)
	if err == nil {
		_, err = f.Opt.VerifySignature(text, armored, operators.Namespace)
	}
	if errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	return nil
}

// restore returns the command with which git brings back a file of the handoffs directory, "" if git does not track it.
func (f *files) restore(name string) (command string, err error) {
	if f.git == nil {
		at, names, err := f.Tracked(f.Opt.Dir)
		if err != nil {
			return "", err
		}
		f.git = map[string]bool{}
		for _, full := range names {
			f.git[full[len(at)+1:]] = true
		}
	}
	switch {
	case !f.git[name]:
		return "", nil
	case f.by[name].isPointer:
		return lfsPull, nil
	}
	return "git restore " + store.ShellQuote(f.RelPath(name)), nil
}

// Differences are where documents and log agree and where not. Handoffs are in the order of the log, files are sorted.
type differences struct {
	whole    []*facts.Handoff // listed, and the file matches
	gone     []*facts.Handoff // listed, and no file matches
	lost     []*facts.Handoff // recorded as lost, and no file matches
	unknown  []string         // listed files that could not be read
	unlogged []string         // whole documents that are not listed
	left     []string         // documents that were pruned
	odd      []string         // what is no document, and is not listed
}

// compare compares all documents, or those of some ids, with what the log says.
func (f *files) compare(v facts.View, only map[string]bool) (d differences) {
	all := v.All()
	if only != nil {
		all = slices.DeleteFunc(all, func(h *facts.Handoff) bool { return !only[h.ID] })
	}
	holder, listed := map[string]string{}, map[string]bool{} // holder: the name of the file that has an id
	for _, h := range all {
		listed[h.File] = true
		if f.by[h.File].id == h.ID {
			holder[h.ID] = h.File
		}
	}
	f.compareFiles(&d, v, holder, listed)
	for _, h := range all {
		one := f.by[h.File]
		isAbsent := f.Opt.Git == disk.GitTracked && one.why == nil // this checkout has another file there, or none
		switch at := holder[h.ID]; {
		case at == h.File && !h.Lost:
			d.whole = append(d.whole, h)
		case at != "" || one.isUnknown():
		case h.Lost:
			d.lost = append(d.lost, h)
		case !isAbsent:
			d.gone = append(d.gone, h)
		}
	}
	return d
}

// compareFiles sorts the files. It adds to holder those that are not under the names that the log says.
func (f *files) compareFiles(d *differences, v facts.View, holder map[string]string, listed map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(f.by)) {
		one := f.by[name]
		h, at := v.Of(one.id), holder[one.id]
		list := &d.unlogged
		switch {
		case one.isUnknown() && listed[name]:
			list = &d.unknown
		case one.id == "" && !listed[name]:
			list = &d.odd
		case one.id == "" || at == name && !h.Lost:
			continue
		case h != nil && h.Pruned:
			list = &d.left
		case at != "" && at != name: // a copy
			continue
		default:
			holder[one.id] = name
		}
		*list = append(*list, name)
	}
}

// doubtful returns the names of files that a change in progress can explain.
func (d differences) doubtful() []string {
	names := slices.Concat(d.unlogged, d.left, d.unknown)
	for _, h := range d.gone {
		names = append(names, h.File)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// signatureOf returns the name of the signature of a handoff, as git has it.
func signatureOf(id string) string { return path.Join(disk.Signatures, disk.SignatureFile(id)) }
