package run

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// craikSchema marks the handoffs of Craik (github.com/eidetic-labs/craik,
// src/craik/contracts/models/handoffs.py).
const craikSchema = "craik.handoff"

// craikLists are the lists of a Craik handoff that a record holds under another name, with what goes
// before each text there.
var craikLists = []struct{ from, into, before string }{
	{"memory_proposal_ids", "memory_proposals", ""},
	{"facts_learned", "memory_proposals", ""},
	{"facts_invalidated", "memory_proposals", "no longer true: "},
	{"receipt_ids", "receipts", ""},
	{"adjudication_ids", "receipts", ""},
	{"scope_change_request_ids", "receipts", ""},
	{"scope_change_result_ids", "receipts", ""},
	{"contradictions_opened", "context_debt", "contradiction: "},
	{"unresolved_disagreements", "context_debt", "disagreement: "},
	{"open_human_delegation_ids", "next_steps", "answer the delegation "},
}

// craikNotes are the members of a Craik handoff that a record has no place for: they become notes of
// its self-audit.
var craikNotes = []string{"version", "id", "runner_metadata", "auth_profile_id", "auth_identity_hash", "operator_subject", "operator_issuer"}

// fromCraik returns a Craik handoff under our names, and any other value as it is. Its claims about
// itself are no more than notes, since they were derived by other rules; what it admits stays.
func fromCraik(v *jsontree.Value) *jsontree.Value {
	if schema := v.Get("schema"); schema == nil || schema.Text != craikSchema {
		return v
	}
	r := v.Clone()
	r.Delete("schema")
	notes := jsontree.NewArray(jsontree.NewString("imported from " + craikSchema))
	for _, name := range craikNotes {
		if said := r.Get(name); said != nil && said.Kind != jsontree.Null && len(said.Items)+len(said.Members)+len(said.Text) > 0 {
			notes.Items = append(notes.Items, jsontree.NewString(name+": "+strings.Trim(said.String(), `"`)))
		}
		r.Delete(name)
	}
	for _, l := range craikLists {
		moveList(r, l.from, l.into, l.before)
	}
	craikAudit(r, notes)
	if at := r.Get("created_at"); at != nil {
		if t, ok := form.Zoned(at.Text); ok {
			at.Text = t.Format("2006-01-02T15:04:05.999999999Z")
		}
	}
	return r
}

// moveList appends a list of the record to another one.
func moveList(r *jsontree.Value, from, into, before string) {
	list := r.Get(from)
	if !list.Is(jsontree.Array) {
		return // null counts as absent, and the rest is a fault where it stands
	}
	r.Delete(from)
	target := r.Get(into)
	if target == nil || target.Kind == jsontree.Null {
		target = jsontree.NewArray()
		target.Line, target.Column = list.Line, list.Column
		r.Set(into, target)
	}
	for _, item := range list.Items {
		if item.Kind == jsontree.String {
			item.Text = before + item.Text
		}
		target.Items = append(target.Items, item)
	}
}

// craikAudit turns what a Craik handoff claims about itself into notes.
func craikAudit(r, notes *jsontree.Value) {
	audit := r.Get("self_audit")
	if !audit.Is(jsontree.Object) {
		audit = jsontree.NewObject()
		r.Set("self_audit", audit)
	}
	claimed := slices.DeleteFunc(slices.Clone(audit.Members), func(m jsontree.Member) bool {
		return m.Value.Kind != jsontree.Bool || m.Value.Text != "true"
	})
	for _, m := range claimed {
		audit.Delete(m.Name)
		notes.Items = append(notes.Items, jsontree.NewString(craikSchema+" claims "+m.Name))
	}
	if own := audit.Get("notes"); own != nil {
		notes.Items = append(own.Items, notes.Items...)
	}
	audit.Set("notes", notes)
}
