package eventlog

import "time"

// Regenerated is the payload of an event that moved the store to another machine.
type Regenerated struct {
	OperatorID     string `json:"operator_id"`
	Reason         string `json:"reason"`
	OldFingerprint string `json:"old_fingerprint"`
	NewFingerprint string `json:"new_fingerprint"`
}

// Event types of the audit log. For the types of acts see Act.Type.
const (
	TypeWrite      = "handoff.write"
	TypeImport     = "handoff.import" // the payload is Written, or Imported if git brought the files
	TypeSign       = "handoff.sign"
	TypeTrust      = "operators.trust"
	TypeMarkRead   = "handoff.mark_read"
	TypeMarkUnread = "handoff.mark_unread"
	TypeSurface    = "handoff.surface"
	TypeResume     = "handoff.resume"
	TypePrune      = "handoff.prune"
	TypeValidate   = "handoff.validate"
	TypeRepair     = "handoff.repair"
	TypeRotate     = "index.rotate"
	TypeRecovered  = "log.recovered"
	TypeRegenerate = "machine_fingerprint.regenerate"
	TypeBegin      = "replica.begin"
)

// Written is the payload of an event that stored a handoff.
type Written struct {
	// the document existed before, so its history is incomplete
	Adopted      bool `json:"adopted,omitempty"`
	BodyByteSize int  `json:"body_byte_size"`
	// of an import by sync: the commit in which its writer published it
	Commit               string `json:"commit,omitempty"`
	FilePath             string `json:"file_path"`
	From                 string `json:"from"`
	HandoffID            string `json:"handoff_id"`
	OperatorVerification string `json:"operator_verification"`
	ReferencesCount      int    `json:"references_count"`
	SchemaVersion        string `json:"schema_version"`
	// rules of the secret scan whose findings were allowed
	SecretsAllowed []string `json:"secrets_allowed,omitempty"`
	SigningKey     string   `json:"signing_key,omitempty"` // the key of the signature that was stored with it
	Tags           []string `json:"tags"`
	To             string   `json:"to"`
	Topic          string   `json:"topic"`
	Time           string   `json:"ts_utc"`
	Writer         string   `json:"writer,omitempty"` // of an import: the writer of the other store, if known
}

// Signed is the payload of an event that added a signature to a handoff.
type Signed struct {
	HandoffID string `json:"handoff_id"`
	Key       string `json:"signing_key"` // the fingerprint of the key
	How
}

// Trusted is the payload of an event that changed the trusted keys of an operator.
type Trusted struct {
	OperatorID string   `json:"operator_id"`
	Keys       []string `json:"keys"`
	FirstSight bool     `json:"first_sight"` // the first key of the operator, trusted without asking
	By         string   `json:"trusted_by,omitempty"`
}

// MarkedRead is the payload of an event that an operator read a handoff.
type MarkedRead struct {
	HandoffID     string `json:"handoff_id"`
	OperatorID    string `json:"operator_id"`
	Time          string `json:"ts_utc"`
	AlreadyMarked bool   `json:"already_marked"`
	How
}

// MarkedUnread is the payload of an event that removed the read marks of an operator up to a time.
type MarkedUnread struct {
	HandoffID  string `json:"handoff_id"`
	OperatorID string `json:"operator_id"`
	Time       string `json:"ts_utc"` // of the mark
	How
}

// Recovered is the payload of an event that a log was repaired or begun. It records the torn bytes at the
// end, and how many rows were found without an event.
type Recovered struct {
	Reason      string `json:"reason"`
	TornBytes   int    `json:"torn_bytes,omitempty"`
	KeptAs      string `json:"kept_as,omitempty"`
	AdoptedRows int    `json:"adopted_rows,omitempty"`
}

// Surfaced is the payload of an event that handoffs were shown to an operator.
type Surfaced struct {
	Count      int      `json:"handoffs_surfaced"`
	HandoffIDs []string `json:"handoff_ids"` // the first of them
	OperatorID string   `json:"operator_id"`
	Withheld   []string `json:"withheld"`
}

const maxSurfaced = 100 // ids in one event

// FirstIDs returns the first ids, as many as an event names.
func FirstIDs(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids[:min(len(ids), maxSurfaced)]
}

// Rotated is the payload of an event that rows moved to an archive.
type Rotated struct {
	Archive string `json:"archive"`
	Rows    int    `json:"rows"`
	First   string `json:"first_handoff_id"`
	Last    string `json:"last_handoff_id"`
}

// A Consumption is a line of the ledger: a consumed token, or an [Act].
type Consumption struct {
	// a resume token, the sha256:… of a token of another form, or the handoff_id if there is none; see Act.Key
	Token     string `json:"token"`
	HandoffID string `json:"handoff_id"`
	Operator  string `json:"operator_id"`
	Time      string `json:"ts_utc"`
	Accepted  string `json:"accepted,omitempty"` // the classification that was overridden
	Reason    string `json:"reason,omitempty"`   // the reason for that

	ConfirmedBy string `json:"confirmed_by,omitempty"` // who confirmed that the answers match the packet
	Session     string `json:"session_id,omitempty"`   // the agent session that took it
	Until       string `json:"until,omitempty"`        // of a take or a renewal: the end of the lease
	Over        string `json:"over,omitempty"`         // of a take: the operator whose take it replaces

	// For is how long the lease of a take lasts: 0 is the default, and less than 0 means no lease. It is not stored.
	For time.Duration `json:"-"`
}

// Resumed is the payload of an event that a handoff was resumed, or of an act.
type Resumed struct {
	Consumption
	Marked bool `json:"marked"` // the same change set the read mark
	How
}

// How records how a store learned of a mark or of a line of the ledger.
type How struct {
	Offline bool `json:"offline,omitempty"` // the store was synced before, but the remote was not asked
	// from the log of another writer or from a claim; every replica reads those itself
	Synced bool `json:"synced,omitempty"`
}

// Pruned records that a handoff was removed for good, and is kept in a bundle.
type Pruned struct {
	Bundle    string `json:"bundle_sha256,omitempty"` // the hash of the file
	HandoffID string `json:"handoff_id"`
	Operator  string `json:"operator_id"`
	Time      string `json:"ts_utc"`
}

// Repaired is the payload of a repair, without what its other events record. Quarantined has all handoffs
// whose documents are gone or do not verify. Superseded has those whose next write event replaces the former
// one.
type Repaired struct {
	Index       string   `json:"index"`
	KeptAs      string   `json:"kept_as"`
	LogKeptAs   string   `json:"log_kept_as,omitempty"`
	AddedRows   []string `json:"added_rows"`
	AddedMarks  int      `json:"added_marks"`
	Quarantined []string `json:"quarantined"`
	Superseded  []string `json:"superseded,omitempty"`
}

// A Validation is the payload of a check of a stored record whose answers somebody confirmed.
type Validation struct {
	HandoffID   string `json:"handoff_id"`
	Kind        string `json:"kind"`
	Valid       bool   `json:"valid"`
	ConfirmedBy string `json:"confirmed_by"` // who confirmed that the answers match the packet
}

// Imported names handoffs that git brought with the files of the store, and that verified.
type Imported struct {
	HandoffIDs []string `json:"handoff_ids"`
}

// Begun is the payload of the event that begins a replica: a clone or a work tree of a store that is
// committed with the code.
type Begun struct {
	Fingerprint string `json:"fingerprint"`
	Writer      string `json:"writer"`
}

// A Pending is an event to add to the log.
type Pending struct {
	Type     string
	Payload  any
	Redacted []string // rules of the secret scan whose findings were redacted
}
