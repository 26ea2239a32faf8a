package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Review is the input of the self-audit that is not in the record itself.
type Review struct {
	Allowed []string            // rules of the scan whose findings were allowed
	Carried []CarriedAssumption // assumptions carried from earlier records of the project; see Carry
}

// Seal derives the self-audit and returns the record to be stored. A flag that the draft sets to false stays
// false. If the draft sets a flag to true but the data contradict it, the error is a *fault.DocumentError with
// every such flag.
func (d Draft) Seal(review Review) (Record, error) {
	r := d.Record
	notes := r.SelfAudit.Notes
	r.SelfAudit = Audit{Notes: notes}
	var found []fault.Fault
	for i, f := range flags {
		problem := f.problem(r, review)
		claimed, given := d.Claimed[f.name]
		if given && claimed && problem != "" {
			found = append(found, fault.Fault{Pointer: "/self_audit/" + f.name,
				Problem: "is true, but " + problem, Hint: "set it to false, or omit it: it is derived"})
		}
		// The draft can lower a flag but never raise one.
		*r.SelfAudit.answers()[i] = problem == "" && (claimed || !given)
	}
	if len(found) > 0 {
		return Record{}, &fault.DocumentError{Faults: found}
	}
	return r, nil
}

// Failed returns the names of the flags that are false, in their order.
func (a Audit) Failed() []string {
	var names []string
	for i, f := range flags {
		if !*a.answers()[i] {
			names = append(names, f.name)
		}
	}
	return names
}

// answers returns pointers to the flags, in the order of the table.
func (a *Audit) answers() []*bool {
	return []*bool{&a.SchemaValidated, &a.RedactionReviewed, &a.ReceiptsReviewed, &a.AssumptionsReviewed,
		&a.ValidationRecorded, &a.PolicyExceptionsDisclosed}
}

// A flag is one question of the audit. problem returns why the answer is no, or "" for yes. unseen is a possible
// reason that the record itself does not show. The texts are part of the view of kind run/1 and never change.
type flag struct {
	name    string
	problem func(Record, Review) string
	unseen  string
}

// flags is the table of the audit, in the order of its JSON.
var flags = []flag{
	{"schema_validated", func(Record, Review) string { return "" }, ""}, // a Draft is valid
	{"redaction_reviewed", redaction, "the secret scan let something through, or "},
	{"receipts_reviewed", receipts, ""},
	{"assumptions_reviewed", assumptions, "an assumption of an earlier record is not named, or "},
	{"validation_recorded", validation, ""},
	{"policy_exceptions_disclosed", disclosure, "a secret was allowed that nothing mentions, or "},
}

// why returns, from the record alone, why the flag is no.
func (f flag) why(r Record) string {
	return cmp.Or(f.problem(r, Review{}), f.unseen+"who wrote the record says so")
}

// redaction requires that the scan found nothing. An allowed finding can be right, but it was not redacted.
func redaction(_ Record, review Review) string {
	if len(review.Allowed) > 0 {
		return "the secret scan let something through"
	}
	return ""
}

// receipts requires a receipt for every record with policy exceptions.
func receipts(r Record, _ Review) string {
	if len(r.PolicyExceptions) > 0 && len(r.Receipts) == 0 {
		return "there are policy exceptions and no receipts"
	}
	return ""
}

// assumptions requires that no assumption is open without a note. Carried assumptions are open unless the record
// names them.
func assumptions(r Record, review Review) string {
	notes := fold(r.SelfAudit.Notes)
	named := map[string]bool{}
	for _, a := range r.Assumptions {
		named[oneSpace(a.Statement)] = true
		if a.State == "open" && !notes.mention(a.Statement) {
			return "an assumption is open and no note says why"
		}
	}
	for _, carried := range review.Carried {
		if !named[oneSpace(carried.Statement)] && !notes.mention(carried.Statement) {
			return "an assumption carried from an earlier record is not named and no note says why"
		}
	}
	return ""
}

// validation requires a test with a known result. A failed test counts.
func validation(r Record, _ Review) string {
	known := func(c Command) bool { return c.Kind == "test" && c.Result != "unknown" }
	if !slices.ContainsFunc(r.CommandsAndValidation, known) {
		return "no test has a result other than unknown"
	}
	return ""
}

// disclosure requires that the record mentions failed commands and allowed secrets. Only people can judge the
// text.
func disclosure(r Record, review Review) string {
	said := slices.Clone(r.Risks)
	for _, e := range r.PolicyExceptions {
		said = append(said, e.Summary, e.Reason)
	}
	disclosed := fold(said)
	for _, rule := range review.Allowed {
		if !disclosed.mention(rule) {
			return "a secret was allowed that no policy exception or risk mentions"
		}
	}
	for _, c := range r.CommandsAndValidation {
		if c.Result == "failed" && !disclosed.mention(c.Command) {
			return "a command failed that no policy exception or risk mentions"
		}
	}
	return ""
}

// texts are texts folded to lower case and single spaces.
type texts []string

// fold folds texts for several searches.
func fold(all []string) texts {
	folded := make(texts, len(all))
	for i, text := range all {
		folded[i] = strings.ToLower(oneSpace(text))
	}
	return folded
}

// mention reports whether one of the texts contains what.
func (t texts) mention(what string) bool {
	needle := strings.ToLower(oneSpace(what))
	return slices.ContainsFunc(t, func(text string) bool { return strings.Contains(text, needle) })
}

// oneSpace returns text with single spaces. Items of two records are compared in this form.
func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }
