package exchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// maxHeld is the maximum size of held.json in bytes.
const maxHeld = 64 << 20

// held is the content of held.json.
type held struct {
	Documents []heldDocument `json:"documents"`
	// of documents that came in another way; Blob is the signature
	Signatures []heldDocument `json:"signatures,omitempty"`
	// effects on missing handoffs, and effects that do not count yet
	Effects []effect `json:"effects,omitempty"`

	places map[effect]int // the indexes of the effects, by key
}

// A heldDocument is a document that was received and refused for now.
type heldDocument struct {
	Held
	Commit string `json:"commit"`
	Blob   string `json:"blob"`

	Signature string `json:"signature,omitempty"` // the blob of its signature
	Day       string `json:"day,omitempty"`       // the one under which it was published; "" if unknown
}

// Held describes a handoff that was received and refused for now. Its fields are those of its frontmatter. They are
// empty if the document is malformed.
type Held struct {
	ID     string `json:"handoff_id"`
	From   string `json:"from"`
	To     string `json:"to"`
	Topic  string `json:"topic"`
	Time   string `json:"ts_utc"`
	Writer string `json:"writer"` // the clone that published it
	Why    string `json:"why"`
	Advice string `json:"hint"` // what to do, so that the next sync stores it
}

// refuse records why the document is held, and what can be done.
func (d *Held) refuse(source handoff.Source, why error) {
	d.Why = strings.TrimPrefix(firstLine(why), d.ID+": ")
	if source.Open != nil {
		source, _ = source.Open()
	}
	doc, _ := document.ParseStored(source.Text)
	d.From, d.To, d.Topic, d.Time = doc.From, doc.To, doc.Topic, doc.Time

	var faults *fault.DocumentError
	var denied *fault.Error
	switch {
	case errors.As(why, &faults) && len(faults.Faults) > 0 && faults.Faults[0].Pointer == "/ts_utc":
		d.Advice = "correct the clock of this machine if it is behind; otherwise `handoff sync` stores it in time"
	case errors.Is(why, fault.ErrDenied) && errors.As(why, &denied):
		d.Advice = denied.Advice + ", then `handoff sync`"
	default:
		d.Advice = "ask its sender to withdraw it and to send it again without that"
	}
}

// ReadHeld returns the handoffs that are held, in the order in which they came.
func ReadHeld(s *handoff.Store) ([]Held, error) {
	d, err := outside(s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unreadable(err)
	}
	defer d.Close()
	return allHeld(d)
}

// outside opens the directory with what is kept about remotes. If the store has never synced, the error is
// fs.ErrNotExist.
func outside(s *handoff.Store) (*disk.Dir, error) {
	path, err := s.Exchange().OutsidePath()
	if err != nil {
		return nil, err
	}
	return disk.OpenDir(path)
}

// RemoteOf returns the name of the remote of a project: that of its settings or, if they name none, of the remote that
// was synced last.
func RemoteOf(p handoff.Project) string {
	name := p.Settings.Remote
	if s, err := handoff.Open(p.Options); err == nil && name.Source == settings.Default {
		if out, err := outside(s); err == nil {
			defer out.Close()
			var last progress
			if _, err := load(out, disk.SyncState, &last); err == nil {
				return cmp.Or(last.Remote, name.Value)
			}
		}
	}
	return name.Value
}

// allHeld returns what is held, of the pinned remote.
func allHeld(out *disk.Dir) (all []Held, err error) {
	home := out
	if to, _ := pinned(out); to.Namespace == "" && to.URL != "" {
		if home, err = out.OpenDir(objectsHome(to.URL)); err != nil {
			return nil, err
		}
		defer home.Close()
	}
	h, _, err := loadHeld(home)
	for _, d := range h.Documents {
		all = append(all, d.Held)
	}
	return all, err
}

// origin returns where the document comes from.
func (d heldDocument) origin() *handoff.Origin {
	return &handoff.Origin{Writer: d.Writer, Commit: d.Commit}
}

// loadHeld reads held.json, and returns its text too. An unreadable file is fault.ErrIntegrity, because treating it
// as empty would lose the held documents.
func loadHeld(d *disk.Dir) (h held, text []byte, err error) {
	h.Documents = []heldDocument{}
	text, err = d.ReadFile(disk.SyncHeld, maxHeld)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil, nil
	}
	if system := store.AsCorrupt(d.Path(), err); system != nil && !errors.Is(system, fault.ErrIntegrity) {
		return h, nil, fault.Unreadable(err)
	}
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		err = fault.Integrity("run `handoff sync`: held handoffs are fetched again",
			"%s cannot be read: %v",
			filepath.Join(d.Path(), disk.SyncHeld), err)
	}
	return h, text, err
}

// A Status is what is known about the exchange of a store without the network.
type Status struct {
	Synced string `json:"last_sync"`        // when; "" means never
	Unsent int    `json:"unsent"`           // the number of handoffs that are not sent
	Held   int    `json:"held"`             // the number of held documents
	Failed string `json:"failed,omitempty"` // why the last background sync failed
}

// ReadStatus returns the status of a store. It takes longer if more is unsent. In a store that has never synced all is
// unsent, and it is counted only if first is set.
func ReadStatus(s *handoff.Store, first bool) (at Status, err error) {
	x := newExchange(s, Options{})
	defer x.close()
	if x.state, err = s.Exchange().State(); err != nil || x.state == nil {
		return at, err
	}
	x.out, err = outside(s)
	x.home = x.out
	p := progress{}
	switch {
	case err == nil:
		p = x.loadProgress()
		held, err := allHeld(x.out)
		if err != nil {
			return Status{Synced: p.Last}, err
		}
		at.Synced, at.Held = p.Last, len(held)
		var last attempt
		if _, err := load(x.out, disk.SyncAttempt, &last); err == nil && last.Began >= p.Last {
			at.Failed = last.Failed
		}
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fault.ErrConfig):
		return at, err
	} // otherwise the store has never synced
	if at.Synced == "" && !first {
		return at, nil
	}
	at.Unsent, err = x.unsent(p)
	return at, err
}

// unsent returns the number of handoffs that are not sent yet.
func (x *exchange) unsent(p progress) (n int, err error) {
	n = len(p.Unsent)
	for e := range x.events(max(p.Offset, p.Quiet), &err) {
		if e.Type == eventlog.TypeWrite { // most are: they need no parsing
			n++
		} else if s := parse(e); s.isOwn() {
			n++
		} else if s.Type == eventlog.TypeImport {
			n += len(s.IDs)
		}
	}
	return n, err
}
