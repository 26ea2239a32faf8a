package kind

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

// A question is one of the self-audit. why returns why the answer is no, "" for yes. unseen is the part of a reason
// that the record alone does not show.
type question struct {
	name   string
	why    func(root *json.Value, g Given) string
	unseen string
}

// questions is the self-audit, in its order. The texts are part of the view.
var questions = []question{
	{"schema_validated", func(*json.Value, Given) string { return "" }, ""},
	{"redaction_reviewed", func(_ *json.Value, g Given) string {
		if len(g.allowed) > 0 {
			return "the secret scan let something through"
		}
		return ""
	}, "the secret scan let something through, or "},
	{"receipts_reviewed", func(r *json.Value, _ Given) string {
		if len(r.Get("policy_exceptions").All()) > 0 && len(r.Get("receipts").All()) == 0 {
			return "there are policy exceptions and no receipts"
		}
		return ""
	}, ""},
	{"assumptions_reviewed", assumptionsReviewed, "an assumption of an earlier record is not named, or "},
	{"validation_recorded", func(r *json.Value, _ Given) string {
		for _, c := range r.Get("commands_and_validation").All() {
			if c.Get("kind").Str() == "test" && c.Get("result").Str() != "unknown" {
				return ""
			}
		}
		return "no test has a result other than unknown"
	}, ""},
	{"policy_exceptions_disclosed", exceptionsDisclosed, "a secret was allowed that nothing mentions, or "},
}

// assumptionsReviewed requires that no assumption is open unless a note quotes it. An assumption of an earlier record
// is open unless this one names it.
func assumptionsReviewed(r *json.Value, g Given) string {
	notes := textsAt(r, "/self_audit/notes")
	for _, a := range r.Get("assumptions").All() {
		if text := a.Get("statement").Str(); a.Get("state").Str() == "open" && !notes.mention(text) {
			return "an assumption is open, and no note quotes it"
		}
	}
	named := append(textsAt(r, "/assumptions/*/statement"), notes...)
	if g.Carried == nil {
		return ""
	}
	for _, text := range g.Carried(Record{Root: r}) {
		if !named.mention(text) {
			return "an open assumption of an earlier record is not named, and no note quotes it"
		}
	}
	return ""
}

// exceptionsDisclosed requires that the exceptions or risks mention failed commands and allowed secrets.
func exceptionsDisclosed(r *json.Value, g Given) string {
	disclosed := textsAt(r, "/risks", "/policy_exceptions/*/summary", "/policy_exceptions/*/reason")
	for _, rule := range g.allowed {
		if !disclosed.mention(rule) {
			return "a secret was allowed that no policy exception or risk mentions"
		}
	}
	for _, c := range r.Get("commands_and_validation").All() {
		if c.Get("result").Str() == "failed" && !disclosed.mention(c.Get("command").Str()) {
			return "a command failed that no policy exception or risk mentions"
		}
	}
	return ""
}

// deriveAudit derives the self-audit. The record can lower an answer; one that it claims against the data is a fault.
func deriveAudit(r *Record, g Given) {
	claimed, derived := r.Root.Get("self_audit"), json.NewObject()
	if claimed != nil && claimed.Kind != json.Object {
		return // a fault of the schema
	}
	for _, q := range questions {
		why, given := q.why(r.Root, g), claimed.Get(q.name)
		derived.Set(q.name, why == "" && (given == nil || given.Text == "true"))
		switch {
		case given == nil:
		case given.Kind != json.Bool:
			derived.Set(q.name, given) // a fault of the schema
		case given.Text == "true" && why != "":
			r.fail("/self_audit/"+q.name, "set it to false, or omit it: it is derived", "is true, but %s", why)
		}
	}
	for _, m := range members(claimed) {
		if derived.Get(m.Name) == nil {
			derived.Set(m.Name, m.Value)
		}
	}
	if derived.Get("notes") == nil {
		derived.Set("notes", json.NewArray())
	}
	r.Root.Set("self_audit", derived)
}

// explainAudit replaces the answers of the self-audit by yes, or no with its reason.
func explainAudit(root *json.Value) {
	for _, q := range questions {
		answer := "yes"
		if v := root.At("/self_audit/" + q.name); v == nil || v.Text != "true" {
			answer = "no: " + cmp.Or(q.why(root, Given{}), q.unseen+"the writer of the record says so")
		}
		set(root, "/self_audit/"+q.name, answer)
	}
}

// failed returns the names of the questions that a record answers with no.
func failed(root *json.Value) (names []string) {
	for _, q := range questions {
		if v := root.At("/self_audit/" + q.name); v == nil || v.Text != "true" {
			names = append(names, q.name)
		}
	}
	return names
}

// texts are texts in lower case with single spaces.
type texts []string

// textsAt returns the texts at some paths, and those of lists there.
func textsAt(root *json.Value, paths ...string) (all texts) {
	for _, path := range paths {
		expand(root, path, func(pointer string) {
			for _, v := range append(root.At(pointer).All(), root.At(pointer)) {
				if v.Str() != "" {
					all = append(all, strings.ToLower(oneSpace(v.Text)))
				}
			}
		})
	}
	return all
}

// mention reports whether one of the texts contains what.
func (t texts) mention(what string) bool {
	what = strings.ToLower(oneSpace(what))
	return slices.ContainsFunc(t, func(text string) bool { return strings.Contains(text, what) })
}

func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// An Entry is a stored run record with the id of its handoff.
type Entry struct {
	HandoffID string
	Record
}

// text returns a member of the record.
func (e Entry) text(name string) string { return e.Root.Get(name).Str() }

// with returns an item of the record as an object that begins with some members, and ends with the origin of the item.
func (e Entry) with(item *json.Value, first ...json.Member) *json.Value {
	o := json.NewObject(first...)
	for _, m := range members(item) {
		o.Set(m.Name, m.Value)
	}
	o.Set("task_id", e.text("task_id"))
	o.Set("handoff_id", e.HandoffID)
	o.Set("created_at", e.text("created_at"))
	return o
}

// brief returns the record as an object with the questions of the self-audit that it answers with no.
func (e Entry) brief(fails []string) *json.Value {
	o := e.with(nil)
	for _, name := range []string{"agent", "status", "summary"} {
		o.Set(name, e.text(name))
	}
	o.Set("audit_fails", append([]string{}, fails...))
	return o
}

// An Open item is an assumption, a debt or a step that no later record has closed.
type Open struct {
	Key, List, Text string
	closed          string
	item            *json.Value
}

// Closing returns the value of create that closes the item: it is done, promoted or resolved.
func (o Open) Closing() Value {
	k, _ := Of(Run)
	list, main := o.List, "summary"
	if o.closed == "" {
		list = "completed_actions"
	} else if f, _ := k.table().named("/" + o.List); f.x != nil {
		main = f.x.Get("main").Str()
	}
	v := Value{Text: o.Text, item: json.NewObject(json.Member{Name: main, Value: json.NewString(o.Text)})}
	if o.closed != "" {
		v.item.Set("state", o.closed)
	}
	for _, f := range k.Flags() {
		if f.Path == "/"+list && v.Flag == "" {
			v.Flag = f.Name
		}
	}
	return v
}

// Key returns the key of an item: six hex digits that depend on its text alone.
func Key(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(oneSpace(text))))[:6] }

// Carry returns what records leave open, the oldest first. The newest record that names an item decides. A completed
// action with the text of a step closes it.
func Carry(newestFirst []Entry) (open []Open) {
	k, _ := Of(Run)
	for _, e := range slices.Backward(newestFirst) {
		for _, f := range k.table().fields {
			closed := f.x.Get("closed")
			if closed == nil {
				continue
			}
			for _, item := range e.Root.At(f.path).All() {
				one := Open{List: f.name(), Text: item.Get(f.x.Get("main").Str()).Str()}
				one.Key = Key(one.Text)
				if len(closed.Items) > 0 {
					one.closed = closed.Items[0].Text
				}
				one.item = e.with(item, json.Member{Name: "key", Value: json.NewString(one.Key)})
				open = slices.DeleteFunc(open, func(o Open) bool { return o.Key == one.Key && o.List == one.List })
				state := item.Get("state").Str()
				if !slices.ContainsFunc(closed.Items, func(word *json.Value) bool { return word.Text == state }) {
					open = append(open, one)
				}
			}
		}
		for _, action := range e.Root.Get("completed_actions").All() {
			key := Key(action.Get("summary").Str())
			open = slices.DeleteFunc(open, func(o Open) bool { return o.Key == key && o.List == "next_steps" })
		}
	}
	return open
}

// Before returns the records of a project that were created until a time, without that of a task of this time.
func Before(newestFirst []Entry, project, task, created string) []Entry {
	until, _ := form.Instant(created)
	return slices.DeleteFunc(OfProject(newestFirst, project), func(e Entry) bool {
		at, ok := form.Instant(e.text("created_at"))
		return !ok || at.After(until) || at.Equal(until) && e.text("task_id") == task
	})
}

// OfProject returns the records of a project.
func OfProject(entries []Entry, project string) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.text("project_id") != project })
}

// Onboard returns what the records of a project pass to the next run, as an object. It adds to the warnings.
func Onboard(newestFirst []Entry, project string, maxRecent int, now time.Time, warnings []string) *Tree {
	entries := OfProject(newestFirst, project)
	o, lists := json.NewObject(), []string{"recent_handoffs", "assumptions", "context_debt", "policy_exceptions",
		"next_steps", "memory_proposals"}
	o.Set("project_id", project)
	for _, list := range lists {
		o.Set(list, json.NewArray())
	}
	add := func(list string, item *json.Value) { o.Get(list).Items = append(o.Get(list).Items, item) }
	for _, open := range Carry(entries) {
		add(open.List, open.item)
	}
	slices.Reverse(o.Get("next_steps").Items) // the newest first
	for _, e := range entries[:min(len(entries), maxRecent)] {
		fails := failed(e.Root)
		if add("recent_handoffs", e.brief(fails)); len(fails) > 0 {
			warnings = append(warnings, "task "+form.EscapeLine(e.text("task_id"))+" fails its self-audit: "+
				strings.Join(fails, ", "))
		}
		for _, x := range e.Root.Get("policy_exceptions").All() {
			add("policy_exceptions", e.with(x))
		}
		for _, text := range e.Root.Get("memory_proposals").All() {
			add("memory_proposals", e.with(nil, json.Member{Name: "proposal", Value: text}))
		}
	}
	if len(entries) == 0 {
		warnings = append(warnings, "no prior handoff of this project")
	} else if at, _ := form.Instant(entries[0].text("created_at")); now.Sub(at) > DefaultMaxAge {
		warnings = append(warnings, "stale: the newest handoff was created "+ago(now.Sub(at))+
			" ago (exceeds 48 h limit)")
	}
	o.Set("warnings", append([]string{}, warnings...))
	return o
}
