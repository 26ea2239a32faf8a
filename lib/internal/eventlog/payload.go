package eventlog

import (
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Regenerated is the payload of the event that a store was given to another machine.
type Regenerated struct {
	OperatorID     string `json:"operator_id"`
	Reason         string `json:"reason"`
	OldFingerprint string `json:"old_fingerprint"`
	NewFingerprint string `json:"new_fingerprint"`
}

// Event types of the audit log, beside those of the acts: see Act.Type.
const (
	TypeWrite      = "handoff.write"
	TypeImport     = "handoff.import" // of what another store had: Written, or Imported where the files came by themselves
	TypeSign       = "handoff.sign"
	TypeTrust      = "operators.trust"
	TypeMarkRead   = "handoff.mark_read"
	TypeMarkUnread = "handoff.mark_unread"
	TypeSurface    = "handoff.surface"
	TypeResume     = "handoff.resume"
	TypePrune      = "handoff.prune"
	TypeValidate   = "handoff.validate"
	TypeProbe      = "handoff.probe"
	TypeRepair     = "handoff.repair"
	TypeRotate     = "index.rotate"
	TypeRecovered  = "log.recovered"
	TypeRegenerate = "machine_fingerprint.regenerate"
	TypeBegin      = "replica.begin"
)

// Written has its fields in the order of their names, as the canonical form has them: what is encoded
// needs no second look.
type Written struct {
	Adopted              bool     `json:"adopted,omitempty"` // the document was there before: what became of it until now is not known
	BodyByteSize         int      `json:"body_byte_size"`
	Branch               string   `json:"branch,omitempty"` // that was checked out then, as far as that is known
	Commit               string   `json:"commit,omitempty"` // of an import by sync: where its writer had published it
	FilePath             string   `json:"file_path"`
	From                 string   `json:"from"`
	HandoffID            string   `json:"handoff_id"`
	OperatorVerification string   `json:"operator_verification"`
	ReferencesCount      int      `json:"references_count"`
	SchemaVersion        string   `json:"schema_version"`
	SecretsAllowed       []string `json:"secrets_allowed,omitempty"` // rules whose findings were let through
	SigningKey           string   `json:"signing_key,omitempty"`     // of the signature that was stored with it
	Tags                 []string `json:"tags"`
	To                   string   `json:"to"`
	Topic                string   `json:"topic"`
	Time                 string   `json:"ts_utc"`
	Writer               string   `json:"writer,omitempty"` // of an import: the store that it came from, if that is known
}

// MarshalJSON prints the event without looking at its type: every write prints one.
func (w Written) MarshalJSON() ([]byte, error) {
	var p jsontree.Printer
	if w.Adopted {
		p.JSON("adopted", []byte("true"))
	}
	p.Number("body_byte_size", uint64(w.BodyByteSize))
	p.Some("branch", w.Branch)
	p.Some("commit", w.Commit)
	p.Text("file_path", w.FilePath)
	p.Text("from", w.From)
	p.Text("handoff_id", w.HandoffID)
	p.Text("operator_verification", w.OperatorVerification)
	p.Number("references_count", uint64(w.ReferencesCount))
	p.Text("schema_version", w.SchemaVersion)
	if len(w.SecretsAllowed) > 0 {
		p.Texts("secrets_allowed", w.SecretsAllowed)
	}
	p.Some("signing_key", w.SigningKey)
	p.Texts("tags", w.Tags)
	p.Text("to", w.To)
	p.Text("topic", w.Topic)
	p.Text("ts_utc", w.Time)
	p.Some("writer", w.Writer)
	return p.End(), nil
}

// Signed is the payload of the event that a handoff got a signature.
type Signed struct {
	HandoffID string `json:"handoff_id"`
	Key       string `json:"signing_key"` // its fingerprint
	How
}

// Trusted says which keys of an operator count, and which do no longer.
type Trusted struct {
	OperatorID string   `json:"operator_id"`
	Keys       []string `json:"keys"`
	Former     []string `json:"former_keys"`
	FirstSight bool     `json:"first_sight"` // nobody was asked: no key of the operator was known
	By         string   `json:"trusted_by,omitempty"`
}

// MarkedRead is the payload of the event that somebody has read a handoff.
type MarkedRead struct {
	HandoffID     string `json:"handoff_id"`
	OperatorID    string `json:"operator_id"`
	Time          string `json:"ts_utc"`
	AlreadyMarked bool   `json:"already_marked"`
	How
}

// MarkedUnread is the payload of the event that somebody took back a read mark: those of the operator up to its time.
type MarkedUnread struct {
	HandoffID  string `json:"handoff_id"`
	OperatorID string `json:"operator_id"`
	Time       string `json:"ts_utc"` // of the mark
	How
}

// Recovered is the payload of the event that a log was mended or begun: what was torn off its end, and how
// much was found without an event.
type Recovered struct {
	Reason      string `json:"reason"`
	TornBytes   int    `json:"torn_bytes,omitempty"`
	KeptAs      string `json:"kept_as,omitempty"`
	AdoptedRows int    `json:"adopted_rows,omitempty"`

	AdoptedMarks  *int `json:"adopted_marks,omitempty"` // with rows; nil if they were not counted
	AdoptedTokens *int `json:"adopted_tokens,omitempty"`
}

// Surfaced is the payload of the event that somebody was shown handoffs.
type Surfaced struct {
	Count      int      `json:"handoffs_surfaced"`
	HandoffIDs []string `json:"handoff_ids"` // the first of them
	OperatorID string   `json:"operator_id"`
	Withheld   []string `json:"withheld"`
}

const maxSurfaced = 100 // ids in one event

// FirstIDs returns as many ids as an event names.
func FirstIDs(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids[:min(len(ids), maxSurfaced)]
}

// Rotated is the payload of the event that rows moved to an archive.
type Rotated struct {
	Archive string `json:"archive"`
	Rows    int    `json:"rows"`
	First   string `json:"first_handoff_id"`
	Last    string `json:"last_handoff_id"`
}

// A Consumption is the line of the ledger for a token that was consumed, or for an [Act].
type Consumption struct {
	Token     string `json:"token"` // a token of another form than resume tokens have is its sha256:…; none is the handoff_id; see Act.Key
	HandoffID string `json:"handoff_id"`
	Operator  string `json:"operator_id"`
	Time      string `json:"ts_utc"`
	Accepted  string `json:"accepted,omitempty"` // the classification that was overridden
	Reason    string `json:"reason,omitempty"`   // why

	ConfirmedBy string `json:"confirmed_by,omitempty"` // who said that the answers mean what the packet says
	Session     string `json:"session_id,omitempty"`   // of an agent, for which it was taken
	Signature   string `json:"signature,omitempty"`    // of an approval or a rejection: armored, of what Statement returns
}

// Resumed is what became of a handoff: it was resumed from, or one of the acts.
type Resumed struct {
	Consumption
	Marked bool `json:"marked"` // the same change set the read mark
	How
}

// How says how a store came to know of a mark or a line of the ledger.
type How struct {
	Offline bool `json:"offline,omitempty"` // in a store that has synced nobody was asked whether another one was first
	Synced  bool `json:"synced,omitempty"`  // from the log of another writer or a claim, which every replica reads itself
}

// Pruned is a tombstone: a handoff was taken out of the store for good, and is kept in a bundle.
type Pruned struct {
	Bundle    string `json:"bundle_sha256,omitempty"` // of the file; "" where another store has pruned it
	HandoffID string `json:"handoff_id"`
	Operator  string `json:"operator_id"`
	Time      string `json:"ts_utc"`
	Turn      int    `json:"turn,omitempty"`   // which archiving it ends, from 1; 0 is not known, and ends all
	Writer    string `json:"writer,omitempty"` // of the store that has pruned it first
}

// IsTakenBack reports whether what the tombstone ends was brought back: the ledger has the unarchiving of
// that turn, or of a later one. So all who know the same acts and tombstones have the same, in whatever
// order these came: an unarchiving of which who pruned had not heard counts.
func (p Pruned) IsTakenBack(l Life) bool { return p.Turn > 0 && l.Archive.N >= p.Turn }

// Repaired names what cannot be read from the other events of a repair. Quarantined are all handoffs
// whose documents are gone or do not verify, Superseded those whose next write event replaces the former.
type Repaired struct {
	Index       string   `json:"index"`
	KeptAs      string   `json:"kept_as"`
	LogKeptAs   string   `json:"log_kept_as,omitempty"`
	AddedRows   []string `json:"added_rows"`
	AddedMarks  int      `json:"added_marks"`
	Quarantined []string `json:"quarantined"`
	Superseded  []string `json:"superseded,omitempty"`
}

// A Validation is what the audit log keeps of the validation of a stored record.
type Validation struct {
	HandoffID string `json:"handoff_id"`
	Kind      string `json:"kind"`
	Valid     bool   `json:"valid"`
	Stage     string `json:"stage"` // the last one that ran
	Faults    int    `json:"faults"`
	Warnings  int    `json:"warnings"`
	Changes   int    `json:"changes,omitempty"` // of the repair that followed

	ConfirmedBy string `json:"confirmed_by,omitempty"` // of a check: who said that the answers mean what the packet says
}

// Probed is what a probe found of the claim of a handoff.
type Probed struct {
	Changed    int    `json:"changed"` // how many files were not as they are in the commit
	Commit     string `json:"commit"`  // that was checked out; "" if that is not known or was changed meanwhile
	Definition string `json:"definition_sha256"`
	DurationMS int64  `json:"duration_ms"`
	ExitCode   int    `json:"exit_code"`
	HandoffID  string `json:"handoff_id"`
	OperatorID string `json:"operator_id"`
	Probe      string `json:"probe"`
	RanAt      string `json:"ran_at"` // an earlier run may stand for another
	Verdict    string `json:"verdict"`
}

// Imported names handoffs that came with the files of the store, as git brings them, and that verified.
type Imported struct {
	HandoffIDs []string `json:"handoff_ids"`
}

// Begun is the begin of a replica: a clone or a work tree of a store that is committed with the code.
type Begun struct {
	Fingerprint string `json:"fingerprint"`
	Writer      string `json:"writer"`
}

// A Pending event is to be added to the log.
type Pending struct {
	Type     string
	Payload  any
	Redacted []string // rules of the secret scan whose findings were replaced in what the event is about
}
