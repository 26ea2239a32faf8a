// Package run reads, completes and shows run records (kind run/1). A run record describes what a run did and
// validated, what is uncertain, and where the next run continues.
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
// Parse reads and normalizes a record, Draft.Seal derives its self-audit from the data, and a handoff carries the
// sealed Record. A caller can lower a flag of the audit or add notes; a flag set to true that the data contradict
// is a fault. A record of an incomplete run is valid, but it must not hide that.
//
// Assumptions, context debt and next steps stay open until a later record of the project names them promoted,
// refuted, resolved or done. Onboard collects them for the next run. Each has a key, derived from its text, by
// which the next record can name it. The names of Craik are aliases.
// The fields are in fields.json, the form of the view in view.md.
package run

import (
	_ "embed" // for the form of the view

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// The name and version of the kind in the info string of its block.
const (
	Kind    = "run"
	Version = "1"
)

// A Record is the report of one run. Its JSON omits empty optional fields.
type Record struct {
	TaskID                string       `json:"task_id"`    // 1 to 128 characters, like all ids
	ProjectID             string       `json:"project_id"` // like TaskID
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

// An Action is a finished piece of work.
type Action struct {
	Summary string `json:"summary"`
	Ref     string `json:"ref,omitempty"` // its place, such as a commit
}

// A File is a path that the run touched, or a named artifact of the run.
type File struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"` // file or artifact
	Change string `json:"change,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // 64 lower-case hex digits, with or without sha256:
}

// A Command is a command that was run, with its result.
type Command struct {
	Command    string `json:"command"`
	Kind       string `json:"kind"`   // command or test
	Result     string `json:"result"` // passed, failed, skipped, unknown
	ExitCode   *int64 `json:"exit_code,omitempty"`
	DurationMS *int64 `json:"duration_ms,omitempty"`
	Summary    string `json:"summary,omitempty"`
}

// An Assumption is a statement that the run relied on.
type Assumption struct {
	Statement string `json:"statement"`
	State     string `json:"state"` // open, promoted, refuted, carried_forward
}

// A Debt is context that the run knowingly did not follow up.
type Debt struct {
	Summary    string `json:"summary"`
	State      string `json:"state"` // open, carried_forward, resolved
	NextAction string `json:"next_action,omitempty"`
}

// An Exception is a policy boundary that the run met or passed.
type Exception struct {
	Summary string `json:"summary"`
	Reason  string `json:"reason,omitempty"`
}

// A Step is a proposed next step.
type Step struct {
	What        string `json:"what"`
	Who         string `json:"who,omitempty"`
	VerifyFirst string `json:"verify_first,omitempty"`
}

// An Audit tells how honest the record is about itself. Draft.Seal derives it.
type Audit struct {
	SchemaValidated     bool `json:"schema_validated"`     // the record passed the validator
	RedactionReviewed   bool `json:"redaction_reviewed"`   // the secret scan ran and found nothing
	ReceiptsReviewed    bool `json:"receipts_reviewed"`    // there are receipts, or none are expected
	AssumptionsReviewed bool `json:"assumptions_reviewed"` // no assumption is open without a note
	ValidationRecorded  bool `json:"validation_recorded"`  // a test has a known result
	// failures and allowed secrets are mentioned
	PolicyExceptionsDisclosed bool     `json:"policy_exceptions_disclosed"`
	Notes                     []string `json:"notes,omitempty"`
}

// JSON returns the record as indented JSON in a fixed order of fields. Parse restores the record.
func (r Record) JSON() []byte { return jsontree.Encode(r, "  ") }

// JSON returns the draft as JSON, including the claimed flags of the self-audit. Parse restores the draft.
func (d Draft) JSON() []byte {
	audit := map[string]any{"notes": d.Record.SelfAudit.Notes} // a flag without a claim must be left out: false is one
	for name, answer := range d.Claimed {
		audit[name] = answer
	}
	return jsontree.Encode(struct {
		Record
		SelfAudit map[string]any `json:"self_audit"`
	}{d.Record, audit}, "")
}

// View returns the record as Markdown for people, with all its fields, and the reason for each flag that is no.
// Its form is part of kind run/1 and never changes, since stored handoffs are verified against it.
func (r Record) View() string { return view(shown{r}) }

//go:embed view.md
var viewText string
var view = fields.View(viewText)

// shown is a record for its view.
type shown struct{ Record }

// An answer is the line of a flag in the view.
type answer struct{ Name, Answer string }

// Flags returns the answers of the audit for the view.
func (s shown) Flags() (all []answer) {
	for i, f := range flags {
		a := answer{f.name, "yes"}
		if !*s.SelfAudit.answers()[i] {
			a.Answer = "no: " + f.why(s.Record)
		}
		all = append(all, a)
	}
	return all
}

// Body returns the body of a handoff with the record: its view and its block.
func (r Record) Body() string {
	return fields.Build(r.View(), Kind, Version, r.JSON())
}

// Head returns the values for the frontmatter of a handoff: the agent, the task and the time. A run record has no
// recipient.
func (r Record) Head() (from, to, topic, at string) { return r.Agent, "", r.TaskID, r.CreatedAt }

// Inspect returns the facts of a run record, together with the faults that Parse reports. It fails only if data
// is not a JSON object. A missing project is no fault here, since storing the record adds it.
func Inspect(data []byte) (packet.Facts, error) {
	reading, err := read(data, Defaults{ProjectID: func() string { return "-" }})
	if err != nil {
		return packet.Facts{}, err
	}
	f := Table().Facts(Kind+"/"+Version, reading.Record, packet.Required())
	f.Faults, f.Texts = reading.Faults(), packet.Passages(data)
	return f, nil
}
