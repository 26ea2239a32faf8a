package handoff

import (
	"fmt"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// Event types of the audit log.
const (
	eventWrite      = "handoff.write"
	eventMarkRead   = "handoff.mark_read"
	eventSurface    = "handoff.surface"
	eventResume     = "handoff.resume"
	eventValidate   = "handoff.validate"
	eventRepair     = "handoff.repair"
	eventRotate     = "index.rotate"
	eventRecovered  = "log.recovered"
	eventRegenerate = "machine_fingerprint.regenerate"
)

// writePayload has its fields in the order of their names, as the canonical form has them: what is encoded
// needs no second look.
type writePayload struct {
	BodyByteSize         int      `json:"body_byte_size"`
	FilePath             string   `json:"file_path"`
	From                 string   `json:"from"`
	HandoffID            string   `json:"handoff_id"`
	OperatorVerification string   `json:"operator_verification"`
	ReferencesCount      int      `json:"references_count"`
	SchemaVersion        string   `json:"schema_version"`
	SecretsAllowed       []string `json:"secrets_allowed,omitempty"` // rules whose findings were let through
	Tags                 []string `json:"tags"`
	To                   string   `json:"to"`
	Topic                string   `json:"topic"`
	Time                 string   `json:"ts_utc"`

	redacted []string // rules whose findings were replaced
}

type markReadPayload struct {
	HandoffID     string `json:"handoff_id"`
	OperatorID    string `json:"operator_id"`
	Time          string `json:"ts_utc"`
	AlreadyMarked bool   `json:"already_marked"`
}

type recoveredPayload struct {
	Reason      string `json:"reason"`
	TornBytes   int    `json:"torn_bytes,omitempty"`
	KeptAs      string `json:"kept_as,omitempty"`
	AdoptedRows int    `json:"adopted_rows,omitempty"`

	AdoptedMarks  *int `json:"adopted_marks,omitempty"` // with rows; nil if they were not counted
	AdoptedTokens *int `json:"adopted_tokens,omitempty"`
}

// head returns the hash that the next event names. A torn last line is put aside first, and the event
// that records this comes back as recovered. A log that is missing or empty while there are rows is
// refused unless begin allows it: a new chain would hide that the old one is gone.
func (x *session) head(log *durable.Log, begin bool) (prev string, recovered *event, err error) {
	info, err := log.Stat()
	if err != nil {
		return "", nil, err
	}
	if info.Size() == 0 {
		if !begin {
			err = x.mayBegin()
		}
		return journal.Genesis, nil, err
	}
	last, end, err := journal.Tail(log, info.Size())
	if err != nil {
		return "", nil, err
	}
	if last == nil && !begin {
		if err := x.mayBegin(); err != nil {
			return "", nil, err
		}
	}
	if end < info.Size() {
		if recovered, err = x.putAside(log, end, info.Size()); err != nil {
			return "", nil, err
		}
	}
	if last == nil {
		return journal.Genesis, recovered, nil
	}
	if prev, err = chain.HashLine(last); err != nil {
		return "", nil, &CorruptError{File: filepath.Join(x.opt.StateDir, logName), Why: fmt.Sprintf("the last event cannot be read: %v", err)}
	}
	return prev, recovered, nil
}

// mayBegin refuses to begin a log where rows say that there was one.
func (x *session) mayBegin() error {
	has, err := x.hasRows(x.dir)
	if err == nil && has {
		err = x.logMissing()
	}
	return err
}

func (s *Store) logMissing() error {
	return fault.New(ErrIntegrity, "run `handoff doctor`; after a clone, `"+s.regenerateCommand()+"` begins a new log",
		"the audit log %s is missing or empty, although there are handoffs", filepath.Join(s.opt.StateDir, logName))
}

// hasRows reports whether any index file of d lists a handoff.
func (s *Store) hasRows(d *durable.Dir) (bool, error) {
	text, err := readIndex(d, index.Name)
	if err != nil || !index.IsEmpty(text) {
		return err == nil, err
	}
	text, err = readIndex(d, index.ArchiveName(1))
	return text != nil, err
}

// canBeCut refuses where the end of the log cannot be taken off. A copy of it at each try would help nobody.
func canBeCut(log *durable.Log) error {
	err := log.CanBeCut()
	if err != nil {
		path := shellQuote(log.Name())
		err = fault.New(ErrConfig, "run `chattr -a "+path+"`, then the same command again, then `chattr +a "+path+"`", "the audit log has to be mended first: %v", err)
	}
	return err
}

// putAside copies the torn end of the log to a file of its own and cuts it off. The copy is durable first.
func (x *session) putAside(log *durable.Log, from, to int64) (*event, error) {
	if err := canBeCut(log); err != nil {
		return nil, err
	}
	fragment := make([]byte, to-from)
	if _, err := log.ReadAt(fragment, from); err != nil {
		return nil, err
	}
	name := "handoff-events.torn-" + x.opt.Now().UTC().Format("20060102T150405.000000000Z")
	staged, err := x.state.Stage(fragment, 0o600)
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	if err := staged.Publish(name); err != nil {
		return nil, err
	}
	if err := x.state.Sync(); err != nil {
		return nil, err
	}
	if err := log.Truncate(from); err != nil {
		return nil, err
	}
	x.opt.Warn(fmt.Sprintf("the audit log ended in a torn line of %d bytes; it was kept as %s", len(fragment), name))
	return &event{eventRecovered, recoveredPayload{Reason: "torn last line", TornBytes: len(fragment), KeptAs: name}}, log.Sync()
}
