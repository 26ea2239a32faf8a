package store

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

// A Look is what a reader sees: the facts that the log states, with what the documents say beyond it. It never changes.
type Look struct {
	facts.View
	Missing []*facts.Handoff // not pruned, and without a file; nil for a part

	absent map[*facts.Handoff]bool // a checkout of a tracked store lacks them
	isPart bool
	hasLog bool // an empty one too
}

// A read is a look with what it was made from.
type read struct {
	look          *Look
	stamp, dir    string // of the log and of the handoffs directory, when it began
	damage, moved string // what to warn about
}

// Look returns what the store says now. With part, handoffs that need no more work may be left out. It writes nothing
// and takes no lock. What is wrong with the log is a warning: the good beginning counts.
func (s *Store) Look(part bool) (*Look, error) {
	now := read{stamp: stamp(filepath.Join(s.Opt.StateDir, log.FileName)), dir: stamp(s.Opt.Dir)}
	if r := s.last.Load(); r != nil && r.stamp == now.stamp && (part || !r.look.isPart) &&
		(r.dir == now.dir || part && !s.needsNames(r.look)) {
		return s.show(r), nil
	}
	dir, err := s.open(s.Opt.Dir)
	if err != nil {
		return nil, err
	}
	if dir != nil {
		defer dir.Close()
	}
	if err := s.readLog(&now, part); err != nil {
		return nil, err
	}
	if part && dir != nil && s.needsNames(now.look) {
		return s.Look(false)
	}
	if !part {
		if err := s.readNames(now.look, dir); err != nil {
			return nil, err
		}
	}
	s.last.Store(&now)
	return s.show(&now), nil
}

// show warns of what is wrong, and returns the look as of now.
func (s *Store) show(r *read) *Look {
	texts := []string{r.damage, r.moved}
	if r.look.At == log.Start && len(r.look.All()) > 0 && s.Opt.Git != disk.GitTracked {
		texts = []string{filepath.Base(s.Opt.StateDir) +
			" has no log, so what was read or taken is unknown: run `handoff verify --repair`"}
	}
	for _, text := range texts {
		if text != "" {
			s.warnOnce(text)
		}
	}
	look := *r.look
	look.View = s.View(look.Facts)
	return &look
}

// View judges facts by the clock and by the accepted rules.
func (s *Store) View(f *facts.Facts) facts.View {
	now := s.Opt.Now()
	accepted := operators.Accepted(f.Rules, now)
	rules := accepted.ForFacts()
	if rules != nil && accepted.List.RequiresKeys() {
		rules.Keys = s.Keys(accepted, facts.SealNamespace).Sealing()
		rules.IsSigner = s.Opt.IsSigner
	}
	return facts.View{Facts: f, Now: now, Rules: rules}
}

// Keys returns what names the owners of keys for signatures in a namespace: the user's allowed signers, and rules.
func (s *Store) Keys(rules operators.Rules, namespace string) operators.Keys {
	k := operators.Keys{Accepted: rules.List, Broken: rules.Broken, Verify: s.Opt.VerifySignature}
	if text := ReadUser(s.Opt.AllowedSigners, disk.MaxOperators); text != nil {
		k.Allowed = operators.ParseAllowed(string(text), namespace)
	}
	return k
}

// readLog reads the log, and compares it with the pin, which is older.
func (s *Store) readLog(r *read, part bool) error {
	at := s.Pin()
	r.look = &Look{View: facts.View{Facts: facts.New()}, isPart: part}
	f, size, err := s.OpenLog()
	if err != nil || f == nil {
		if at.Offset > 0 && s.Opt.Git != disk.GitTracked {
			r.moved = logIsGone
		}
		return err
	}
	defer f.Close()
	r.look.hasLog = true
	got, _, damage, err := s.fold(f, size, part)
	if err != nil {
		return err
	}
	r.look.Facts = got
	if damage != nil {
		r.damage = fault.Sentence(damage)
	}
	if at.Offset > 0 && !log.Has(f, got.At.Offset, at) {
		r.moved = "the log has not the last line that you left there: run `handoff verify --repair`"
	}
	return nil
}

// OpenLog opens the log to read, and returns its size; nil if there is none. Where git is missing for a store that is
// shared over it, that is an error: the wrong place looks like an empty store.
func (s *Store) OpenLog() (f *os.File, size int64, err error) {
	state, err := s.open(s.Opt.StateDir)
	if err != nil {
		return nil, 0, err
	}
	if state != nil {
		defer state.Close()
		f, err = state.Open(log.FileName)
	}
	if state == nil || errors.Is(err, fs.ErrNotExist) {
		return nil, 0, s.checkKind()
	}
	if err != nil {
		return nil, 0, fault.Unreadable(err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// fold returns the facts of a log, and the offset of the snapshot that it began with. damage is that of the log, behind
// its good beginning.
func (s *Store) fold(f *os.File, size int64, part bool) (got *facts.Facts, since int64, damage, err error) {
	for _, begin := range []func() *facts.Facts{
		func() *facts.Facts { return s.restore(part) },
		func() *facts.Facts { return s.restore(false) },
		facts.New,
	} {
		got, damage = begin(), nil
		since = max(got.At.Offset, 0)
		got.At, err = log.Read(f, size, got.At, func(change []log.Event) {
			got.Add(change)
			got.Count += len(change)
		})
		if errors.As(err, new(*log.Damage)) {
			damage, err = err, nil
		}
		if errors.Is(err, log.ErrOther) || err == nil && !got.IsWhole() {
			continue // the snapshot is of another log, or says too little
		}
		break
	}
	return got, since, damage, err
}

// needsNames reports whether the names of the files decide what is listed.
func (s *Store) needsNames(l *Look) bool { return s.Opt.Git == disk.GitTracked || !l.hasLog }

// readNames compares the facts with the files: documents without an event that count anyway, and missing ones.
func (s *Store) readNames(l *Look, dir *disk.Dir) error {
	names, gone, err := unnamed(dir, l.Facts)
	if err != nil {
		return err
	}
	if s.needsNames(l) || len(gone) > 0 {
		for _, found := range s.unlogged(dir, s.View(l.Facts), names, gone, s.needsNames(l)) {
			l.Add([]log.Event{{Type: log.Import, Payload: found.payload(s)}})
			gone = slices.DeleteFunc(gone, func(h *facts.Handoff) bool { return h.ID == found.HandoffID })
		}
	}
	gone = slices.DeleteFunc(gone, func(h *facts.Handoff) bool { return h.Lost })
	if l.Missing = gone; s.Opt.Git == disk.GitTracked && len(gone) > 0 {
		l.Missing, l.absent = nil, map[*facts.Handoff]bool{}
		for _, h := range gone {
			l.absent[h] = true
		}
	}
	return nil
}

// Listed returns the handoffs that lists show, in the order of their arrival.
func (l *Look) Listed() []*facts.Handoff {
	return slices.DeleteFunc(l.All(), func(h *facts.Handoff) bool { return h.Lost || l.absent[h] })
}

// IsDocument reports whether a file can be a document, by its name.
func IsDocument(name string) bool {
	return strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".") && name != disk.IndexFile &&
		disk.ArchiveNumber(name) == 0
}

// unnamed returns the names of files that no handoff has, and the handoffs that are lost or have no file.
func unnamed(dir *disk.Dir, f *facts.Facts) (names []string, gone []*facts.Handoff, err error) {
	if dir != nil {
		names, err = dir.Names(IsDocument)
	}
	isThere := make(map[string]bool, len(names))
	for _, name := range names {
		isThere[name] = true
	}
	for _, h := range f.All() {
		if h.Lost || !isThere[h.File] {
			gone = append(gone, h)
			continue
		}
		delete(isThere, h.File)
	}
	return slices.Sorted(maps.Keys(isThere)), gone, err
}

// unlogged returns the documents among names whose ids verify, each once: of handoffs that are gone, and with new also
// of unknown ones that the accepted rules let in.
func (s *Store) unlogged(dir *disk.Dir, v facts.View, names []string, gone []*facts.Handoff, new bool) (
	found []Document) {
	rules, seen, pointers := s.Accepted(v), map[string]bool{}, 0
	for _, name := range names {
		d, text, err := s.Prove(dir, name)
		if IsPointer(text) {
			pointers++
		}
		if err != nil || seen[d.HandoffID] {
			continue
		}
		if h := v.Of(d.HandoffID); h != nil && !slices.Contains(gone, h) || h == nil && !new {
			continue
		}
		d.Verification, err = rules.Admit(d.From, d.To)
		if err != nil && s.Opt.Git == disk.GitTracked {
			continue
		}
		found, seen[d.HandoffID] = append(found, d), true
	}
	if pointers > 0 {
		s.warnOnce("Git LFS has the content of " + fault.Count(pointers, "handoff") + ": run `git lfs pull`")
	}
	return found
}

// IsPointer reports whether a text stands for one that Git LFS has.
func IsPointer(text []byte) bool {
	return bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/"))
}

// readDocument reads a document of the handoffs directory and proves it by its id.
func (s *Store) readDocument(dir *disk.Dir, name string) (doc document.Document, text []byte, err error) {
	if text, err = dir.Read(name, disk.MaxDocument); err != nil {
		return doc, nil, err
	}
	doc, faults := document.ParseStored(text)
	if len(faults) > 0 {
		return doc, text, &fault.CorruptError{File: s.RelPath(name), Line: faults[0].Line,
			Why: "is not a valid handoff: " + faults[0].Problem}
	}
	id, err := document.ID(doc)
	if err == nil && doc.HandoffID != id {
		err = &fault.CorruptError{File: s.RelPath(name),
			Why: "was changed after it was stored: it claims " + doc.HandoffID + ", but its content has the id " + id}
	}
	return doc, text, err
}

// Open opens the handoffs directory to read documents; nil if there is none.
func (s *Store) Open() (*disk.Dir, error) { return s.open(s.Opt.Dir) }

// Load reads the document of a handoff and proves that it is the one that was written. If that fails, it returns the
// text that it could read. dir is nil if there is no handoffs directory.
func (s *Store) Load(dir *disk.Dir, h *facts.Handoff) (doc document.Document, text []byte, err error) {
	if err = fs.ErrNotExist; dir != nil {
		doc, text, err = s.readDocument(dir, h.File)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = &fault.CorruptError{File: s.RelPath(h.File), Why: "is listed but does not exist"}
	case err == nil && doc.HandoffID != h.ID:
		err = &fault.CorruptError{File: s.RelPath(h.File), Why: "is another handoff than " + h.ID}
	}
	return doc, text, fault.Unreadable(err)
}

// Signature returns the armored signature of a handoff, nil if it has none.
func (s *Store) Signature(id string) ([]byte, error) {
	d, err := s.OpenSignatures()
	if err != nil || d == nil {
		return nil, err
	}
	defer d.Close()
	text, err := d.Read(disk.SignatureFile(id), disk.MaxSignature)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
