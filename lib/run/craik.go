package run

import (
	_ "embed" // for the names of Craik
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// craikSchema is the schema name of handoffs of Craik (github.com/eidetic-labs/craik,
// src/craik/contracts/models/handoffs.py).
const craikSchema = "craik.handoff"

//go:embed craik.json
var craikFile []byte

// craik has the members of a Craik handoff without a field in a record, which become notes of the self-audit, and the
// lists with other names: their items go to a list of the record, with a prefix for each text.
var craik = form.Data[struct {
	Notes []string
	Lists []struct{ From, Into, Before string }
}](craikFile)

// fromCraik converts a Craik handoff to a record, and returns any other value as it is. Positive claims about
// itself become notes, since other rules derived them. What it admits stays.
func fromCraik(v *jsontree.Value) *jsontree.Value {
	if schema := v.Get("schema"); schema == nil || schema.Text != craikSchema {
		return v
	}
	r := v.Clone()
	r.Delete("schema")
	notes := jsontree.NewArray(jsontree.NewString("imported from " + craikSchema))
	for _, name := range craik().Notes {
		if said := r.Get(name); said != nil && said.Kind != jsontree.Null &&
			len(said.Items)+len(said.Members)+len(said.Text) > 0 {
			notes.Items = append(notes.Items, jsontree.NewString(name+": "+strings.Trim(said.String(), `"`)))
		}
		r.Delete(name)
	}
	for _, l := range craik().Lists {
		moveList(r, l.From, l.Into, l.Before)
	}
	craikAudit(r, notes)
	if at := r.Get("created_at"); at != nil {
		if t, ok := form.Zoned(at.Text); ok {
			at.Text = t.Format("2006-01-02T15:04:05.999999999Z")
		}
	}
	return r
}

// moveList appends the items of one list to another.
func moveList(r *jsontree.Value, from, into, before string) {
	list := r.Get(from)
	if !list.Is(jsontree.Array) {
		return // null counts as absent; any other value is reported as a fault
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

// craikAudit converts the self-audit of a Craik handoff to notes.
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
