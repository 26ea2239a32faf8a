package run

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// MaxBytes is the size up to which a record is read, as that of a handoff document by default.
const MaxBytes = 1 << 20

// Defaults complete a record that leaves out what its surroundings know.
type Defaults struct {
	ProjectID, CreatedAt func() string // asked when the record does not say it; a time is RFC 3339 in UTC; may be nil
}

// A Draft is a valid record before its audit is derived.
type Draft struct {
	Record  Record          // its SelfAudit is what the text claims; false where it claims nothing
	Claimed map[string]bool // the flags of self_audit that the text gives
}

// Parse reads and normalises a record: plain strings become items, the names of the older form and
// those of Craik become ours, defaults fill what is left out. The error is a *fault.DocumentError with
// every fault, and the line, column and JSON pointer of each.
func Parse(data []byte, defaults Defaults) (Draft, error) {
	draft, found, err := parse(data, defaults)
	if err == nil && len(found) > 0 {
		err = &fault.DocumentError{Faults: found}
	}
	if err != nil {
		return Draft{}, err
	}
	return draft, nil
}

// parse returns what can be read of a record that has faults too. The error says that it is not a JSON object.
func parse(data []byte, defaults Defaults) (draft Draft, found faults, err error) {
	v, err := jsontree.ParseObject(data, MaxBytes, "a run record")
	if err != nil {
		return Draft{}, nil, err
	}
	draft = read(&object{v: fromCraik(v), faults: &found}, defaults)
	return draft, found, nil
}

// Detect says whether a JSON value looks like a run record rather than another kind.
func Detect(v *jsontree.Value) bool {
	return v.Get("resume_token") == nil && v.Get("task_id") != nil && v.Get("summary") != nil
}

// read reads every field, in the order in which faults are reported. What nobody asked for is unknown.
func read(o *object, defaults Defaults) Draft {
	var d Draft
	r := &d.Record
	r.TaskID = o.required("task_id", maxID)
	r.ProjectID = o.or("project_id", defaults.ProjectID, maxID)
	r.IntentLockID = o.optional("intent_lock_id", maxID)
	r.Agent = o.required("agent", maxID)
	r.Status = status(o)
	r.Summary = o.required("summary", maxSummary)
	// An empty line parts paragraphs, whichever way its lines end.
	if strings.Contains(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(r.Summary), "\n\n") {
		o.add(o.v.Get("summary"), "/summary", "has more than one paragraph", "move the rest into the lists, or join the paragraphs")
	}
	r.CompletedActions = list(o, "completed_actions", "summary", readAction)
	r.FilesAndArtifacts = either(o, "files_and_artifacts", "path", []alias[File]{
		{"files_and_artifacts", readFile("file", "artifact")}, {"files_changed", readFile("file", "artifact")}, {"artifacts", readFile("artifact", "file")}})
	r.CommandsAndValidation = either(o, "commands_and_validation", "command", []alias[Command]{
		{"commands_and_validation", readCommand("command", "test")}, {"commands_run", readCommand("command", "test")}, {"tests_run", readCommand("test", "command")}})
	r.Assumptions = list(o, "assumptions", "statement", readAssumption)
	r.ContextDebt = list(o, "context_debt", "summary", readDebt)
	r.PolicyExceptions = list(o, "policy_exceptions", "summary", readException)
	r.Receipts = ids(o, "receipts", "receipt_ids")
	r.MemoryProposals = ids(o, "memory_proposals", "memory_proposal_ids")
	r.NextSteps = list(o, "next_steps", "what", readStep)
	r.Risks = o.strings("risks", maxText)
	r.SelfAudit, d.Claimed = readAudit(o)
	r.CreatedAt = o.or("created_at", defaults.CreatedAt, maxID)
	if r.CreatedAt != "" && !form.IsInstant(r.CreatedAt) {
		o.add(o.v.Get("created_at"), "/created_at", fmt.Sprintf("%.80q is not a time in RFC 3339 and UTC", r.CreatedAt), "write it like 2026-05-07T12:00:00Z")
	}
	o.closed()
	return d
}

// or is required, unless there is a default.
func (o *object) or(name string, otherwise func() string, most int) string {
	if o.get(name) == nil && otherwise != nil {
		if text := otherwise(); text != "" {
			return text
		}
	}
	return o.required(name, most)
}

// status reads the status with the two names of the older form that differ.
func status(o *object) string {
	switch s := o.enum("status", "completed", "paused", "failed", "requires_review", "incomplete", "blocked"); s {
	case "incomplete":
		return "paused"
	case "blocked":
		return "requires_review"
	default:
		return s
	}
}

// An alias is one of the names under which a list may be given.
type alias[T any] struct {
	name string
	read func(*object) T
}

// either reads a list under our name or, in order, under its older ones, but not both.
func either[T any](o *object, name, main string, names []alias[T]) []T {
	var all []T
	ours := o.v.Get(name) != nil
	for _, a := range names {
		if v := o.v.Get(a.name); v != nil && ours && a.name != name {
			o.add(v, o.pointer(a.name), fmt.Sprintf("is the older name of %q, which is given too", name), "give one of them")
		}
		all = append(all, list(o, a.name, main, a.read)...)
	}
	return all
}

// ids reads ids, or what they would stand for in words, under our name or the older one, but not both.
func ids(o *object, name, older string) []string {
	if v := o.v.Get(older); v != nil && o.v.Get(name) != nil {
		o.add(v, o.pointer(older), fmt.Sprintf("is the older name of %q, which is given too", name), "give one of them")
	}
	return append(o.strings(name, maxFact), o.strings(older, maxFact)...)
}
