// Package run reads, completes and shows run records: what a run did, what it validated, what stays
// uncertain, and where the next one resumes (kind run/1).
//
//	{
//	  "task_id": "retry", "project_id": "uploads", "agent": "agent:codex", "status": "completed",
//	  "summary": "Uploads are tried again.",
//	  "commands_and_validation": [{"command": "go test ./...", "kind": "test", "result": "passed"}],
//	  "assumptions": [{"statement": "The server answers 429 when it is busy", "state": "open"}],
//	  "self_audit": {"schema_validated": true, …},
//	  "created_at": "2026-05-07T12:00:00Z"
//	}
//
// A record goes one way: Parse reads and normalises it, Draft.Seal derives its self-audit from the
// data, and the sealed Record is what a handoff carries. A caller may lower a flag of the audit or add
// notes; a flag claimed true that the data contradict is a fault. An incomplete run is a valid record;
// hiding that is not.
//
// Assumptions, context debt and next steps of earlier records of a project live on until a later
// record names them promoted, refuted, resolved or done. Onboard collects them for whoever starts
// next, and gives each the key of its text, by which the next record may name it. Parse takes the
// handoffs of Craik under their own names, too.
//
// The fields are in fields.json, the form of the view in view.md.
package run

import (
	_ "embed" // for the form of the view

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// The name of the kind in the info string of its block.
const (
	Kind    = "run"
	Version = "1"
)

// A Record is the account of one run. Empty optional fields are left out of its JSON.
type Record struct {
	TaskID                string       `json:"task_id"`    // 1 to 128 characters, as all ids
	ProjectID             string       `json:"project_id"` // as TaskID
	IntentLockID          string       `json:"intent_lock_id,omitempty"`
	Agent                 string       `json:"agent"`   // such as agent:codex or human:ann
	Status                string       `json:"status"`  // completed, paused, failed, requires_review
	Summary               string       `json:"summary"` // one paragraph of 1 to 4,000 characters
	CompletedActions      []Action     `json:"completed_actions,omitempty"`
	FilesAndArtifacts     []File       `json:"files_and_artifacts,omitempty"`
	CommandsAndValidation []Command    `json:"commands_and_validation,omitempty"`
	Assumptions           []Assumption `json:"assumptions,omitempty"`
	ContextDebt           []Debt       `json:"context_debt,omitempty"`
	PolicyExceptions      []Exception  `json:"policy_exceptions,omitempty"`
	Receipts              []string     `json:"receipts,omitempty"`
	MemoryProposals       []string     `json:"memory_proposals,omitempty"`
	NextSteps             []Step       `json:"next_steps,omitempty"`
	Risks                 []string     `json:"risks,omitempty"`
	SelfAudit             Audit        `json:"self_audit"`
	CreatedAt             string       `json:"created_at"` // RFC 3339 in UTC, with Z
}

// An Action is a unit of work that was finished.
type Action struct {
	Summary string `json:"summary"`
	Ref     string `json:"ref,omitempty"` // where to see it, such as a commit
}

// A File is a path that the run touched, or a named artifact that it made.
type File struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"` // file or artifact
	Change string `json:"change,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // 64 lower-case hex digits, with or without sha256:
}

// A Command is something that was run, with its result.
type Command struct {
	Command    string `json:"command"`
	Kind       string `json:"kind"`   // command or test
	Result     string `json:"result"` // passed, failed, skipped, unknown
	ExitCode   *int64 `json:"exit_code,omitempty"`
	DurationMS *int64 `json:"duration_ms,omitempty"`
	Summary    string `json:"summary,omitempty"`
}

// An Assumption is what the run took for granted.
type Assumption struct {
	Statement string `json:"statement"`
	State     string `json:"state"` // open, promoted, refuted, carried_forward
}

// A Debt is context that the run knows it did not fully follow up.
type Debt struct {
	Summary    string `json:"summary"`
	State      string `json:"state"` // open, carried_forward, resolved
	NextAction string `json:"next_action,omitempty"`
}

// An Exception is a policy boundary that was met or passed.
type Exception struct {
	Summary string `json:"summary"`
	Reason  string `json:"reason,omitempty"`
}

// A Step is what should happen next.
type Step struct {
	What        string `json:"what"`
	Who         string `json:"who,omitempty"`
	VerifyFirst string `json:"verify_first,omitempty"`
}

// An Audit says how honest the record is about itself. It is derived by Draft.Seal.
type Audit struct {
	SchemaValidated           bool     `json:"schema_validated"`            // the record passed the validator
	RedactionReviewed         bool     `json:"redaction_reviewed"`          // the secret scan ran and let nothing through
	ReceiptsReviewed          bool     `json:"receipts_reviewed"`           // receipts are named, or none are expected
	AssumptionsReviewed       bool     `json:"assumptions_reviewed"`        // none is open without a note
	ValidationRecorded        bool     `json:"validation_recorded"`         // a test has a known result
	PolicyExceptionsDisclosed bool     `json:"policy_exceptions_disclosed"` // failures and allowed secrets are mentioned
	Notes                     []string `json:"notes,omitempty"`
}

// JSON returns the record as indented JSON with a fixed order of fields. Parse gives the record back.
func (r Record) JSON() []byte { return jsontree.Encode(r, "  ") }

// JSON returns the draft as JSON, with the flags of the self-audit that it claims. Parse gives the draft back.
func (d Draft) JSON() []byte {
	v, err := jsontree.Parse(d.Record.JSON())
	if err != nil {
		return nil // more than a record can be
	}
	// A flag that nobody claims must stay out: written as false, it would be a claim.
	audit := v.Get("self_audit")
	for _, f := range flags {
		if _, claimed := d.Claimed[f.name]; !claimed {
			audit.Delete(f.name)
		}
	}
	return v.Append(nil)
}

// View returns the record as Markdown for people, with every field that it has, and why a flag of the
// audit is no. Its form is part of kind run/1: stored handoffs are verified against it, or against
// EarlierView.
func (r Record) View() string { return view(shown{r, false}) }

// EarlierView returns the view that the first programs made: without empty sections and reasons. It
// never changes.
func (r Record) EarlierView() string { return view(shown{r, true}) }

//go:embed view.md
var viewText string
var view = fields.View(viewText)

// shown is a record as its view shows it; Short leaves out what is empty.
type shown struct {
	Record
	Short bool
}

// An answer is what the view says of a flag of the audit.
type answer struct{ Name, Answer string }

// Flags returns the answers of the audit.
func (s shown) Flags() (all []answer) {
	for i, f := range flags {
		a := answer{f.name, "yes"}
		if !*s.SelfAudit.answers()[i] {
			if a.Answer = "no"; !s.Short {
				a.Answer += ": " + f.why(s.Record)
			}
		}
		all = append(all, a)
	}
	return all
}

// Body returns the handoff body that carries the record: its view and its block.
func (r Record) Body() (string, error) {
	return fields.Build(r.View(), Kind, Version, r.JSON())
}

// Head returns what the record says for the head of a handoff: who ran, which task, and when. It is
// addressed to nobody.
func (r Record) Head() (from, to, topic, at string) { return r.Agent, "", r.TaskID, r.CreatedAt }

// Inspect returns what a run record says about resuming, with the faults that Parse names. It fails
// only for text that is not a JSON object. A record that names no project has no fault by that: whoever
// stores it adds the name.
func Inspect(data []byte) (packet.Facts, error) {
	reading, err := read(data, Defaults{ProjectID: func() string { return "-" }})
	if err != nil {
		return packet.Facts{}, err
	}
	f := factsOf(reading.Record)
	f.Faults, f.Texts = reading.Faults(), packet.Passages(data)
	return f, nil
}

// Facts returns what the record says about resuming. A run record has no resume token.
func (r Record) Facts() packet.Facts {
	v, _ := jsontree.Parse(r.JSON())
	return factsOf(v)
}

func factsOf(record *jsontree.Value) packet.Facts {
	f := Table().Facts(Kind+"/"+Version, record, packet.Required())
	f.Texts = packet.Passages([]byte(record.String()))
	return f
}
