package kind

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
	"github.com/seed-78daf238/handoff/lib/relation"
	"github.com/seed-78daf238/handoff/lib/work"
)

// DefaultMaxAge is the default maximum age of a fresh packet.
const DefaultMaxAge = 48 * time.Hour

// skew is how far the writer's clock can be ahead of ours.
const skew = 5 * time.Minute

// An Input is one artifact to check: a record, a handoff without a record, or the error from reading either.
type Input struct {
	Name   string // in the report, such as a file name or an id
	ID     string // of the stored handoff, or ""
	Record *Record
	Text   string // the body of a handoff without a record
	Time   string // when that was written
	Err    error

	References []string // of the handoff
}

// CheckOptions are the options of Check. The zero value works; the functions ask a store.
type CheckOptions struct {
	Now        time.Time
	MaxAge     time.Duration // 0: DefaultMaxAge for a packet, no limit for others
	AllowEmpty []string

	Answers     *Answers // as the resuming side understood the packet
	ConfirmedBy string   // who confirms answers in other words

	Use   func(token, id string) (Use, error)      // who consumed a token, or resumed a handoff
	Held  func(token, id string) ([]string, error) // the packets with a token that the store had before a handoff
	State func(id string) State                    // of a stored handoff
	Work  func(relation.Set) work.Verdict          // compares with the work as it is now
}

// A Use is the consumption of a token.
type Use struct {
	Operator  string `json:"operator"`
	Time      string `json:"ts_utc"`
	HandoffID string `json:"handoff_id"`
	Mine      bool   `json:"mine,omitempty"` // whoever asks resumed it, and still holds it
	Take      string `json:"-"`              // the command that goes on without the token

	Gap   string    `json:"-"` // why the log may lack a use
	Since time.Time `json:"-"` // the log may lack earlier uses; zero if it lacks none
}

// A State is what happened to a stored handoff.
type State struct {
	Successors          []string
	Holder, Taken, Done string // an operator and times; "" if nobody holds it, and if the holder asks
	Mine                bool   // the holder asks
}

// Facts are the values of a record that matter for resuming, by the names in its table.
type Facts map[string][]string

// Facts returns the facts of a record.
func (r Record) Facts() Facts {
	facts := Facts{}
	for _, f := range r.table().fields {
		fact := f.x.Get("fact").Str()
		if fact == "" {
			continue
		}
		f.each(r.Root, func(_ string, v, holder *json.Value) {
			if unless := f.x.Get("unless").Str(); unless != "" && holder.Get("state").Str() == unless {
				return
			}
			for _, one := range append(v.All(), v) {
				if one.Str() != "" {
					facts[fact] = append(facts[fact], one.Text)
				}
			}
		})
	}
	return facts
}

func (f Facts) one(name string) string { return strings.Join(f[name][:min(1, len(f[name]))], "") }

// Baseline returns the work that references and a record describe.
func (in Input) Baseline() relation.Set {
	b := relation.Of(in.References)
	if in.Record == nil {
		return b
	}
	for _, f := range in.Record.table().fields {
		if f.x.Get("fact").Str() != "sha256" {
			continue
		}
		f.each(in.Record.Root, func(_ string, v, holder *json.Value) {
			if path := holder.Get("path").Str(); v.Str() != "" && path != "" {
				b.Files = append(b.Files, relation.Form{Kind: relation.File, Path: path,
					SHA256: strings.TrimPrefix(v.Text, form.IDPrefix)})
			}
		})
	}
	return b
}

// A Class is the verdict of a check. A greater one is worse.
type Class int

// The classes.
const (
	None        Class = iota // no packet, and nothing speaks against going on
	Clean                    // resuming is safe
	Operational              // fix or confirm the handoff first
	Critical                 // there is nothing to resume from
)

// String returns none, CLEAN, OPERATIONAL or CRITICAL.
func (c Class) String() string { return [...]string{"none", "CLEAN", "OPERATIONAL", "CRITICAL"}[c] }

// MarshalText returns the same text.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// A Result is the outcome of one check.
type Result struct {
	Check  string `json:"check"`
	Pass   bool   `json:"pass"`
	Reason string `json:"reason"` // without text of the artifact
}

// A Comparison is an answer next to the packet's.
type Comparison struct {
	Question string `json:"question"` // objective, blocker or next_action
	Packet   string `json:"packet"`
	Answer   string `json:"answer"`
}

// A Report is the result of Check. All its text is escaped.
type Report struct {
	Name        string        `json:"name"`
	HandoffID   string        `json:"handoff_id,omitempty"`
	Kind        string        `json:"kind,omitempty"`
	Class       Class         `json:"classification"`
	Checks      []Result      `json:"checks"`
	Faults      []fault.Fault `json:"faults,omitempty"`
	Quotes      []string      `json:"quotes,omitempty"` // text of the artifact, each with its check
	Compared    []Comparison  `json:"compared,omitempty"`
	ConfirmedBy string        `json:"confirmed_by,omitempty"`
	Notes       []string      `json:"notes,omitempty"`
	Token       string        `json:"resume_token,omitempty"` // one that can be used
	Consumed    *Use          `json:"consumed,omitempty"`
	AgeSeconds  *int64        `json:"age_seconds,omitempty"`
	Recovery    []string      `json:"recovery_steps"`
	Escalation  string        `json:"escalation"`
}

// checking is the state of a check.
type checking struct {
	Input
	CheckOptions
	Report
	facts Facts
	gap   bool // the log can lack a use
}

// Check checks an artifact. It never fails: an artifact that cannot be read is Critical, an uncertain one at least
// Operational. No text of an artifact can improve its class.
func Check(in Input, o CheckOptions) Report {
	c := &checking{Input: in, CheckOptions: o, Report: Report{Name: show(in.Name), HandoffID: in.ID,
		Recovery: []string{}}}
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	switch {
	case in.Err != nil:
		c.unreadable()
	case in.Record != nil && in.Record.Name == Packet:
		c.packet()
	default:
		c.other()
	}
	for _, r := range c.Checks {
		if !r.Pass {
			c.Class = max(c.Class, Operational)
		}
	}
	c.advise()
	return c.Report
}

// add adds the result of a check. quotes are texts of the artifact that belong to it.
func (c *checking) add(check string, pass bool, reason string, quotes ...string) {
	c.Checks = append(c.Checks, Result{check, pass, reason})
	for _, quote := range quotes[:min(len(quotes), maxListed)] {
		c.Quotes = append(c.Quotes, check+": "+quote)
	}
}

func (c *checking) step(text string) {
	if !slices.Contains(c.Recovery, text) {
		c.Recovery = append(c.Recovery, text)
	}
}

func (c *checking) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// maxListed is the most faults, and quotes of a check, in a report.
const maxListed = 20

// The names of the four checks of a packet.
var fixed = []string{"Schema", "Freshness", "Resume token", "Replay test"}

// unreadable reports an artifact that is missing, cannot be read or is no JSON object.
func (c *checking) unreadable() {
	c.Class = Critical
	name := c.Report.Name
	if !isSafe(name) {
		name = "the artifact"
	}
	why := ": " + fault.Plain(c.Err)
	if strings.Contains(why, "…") {
		why = "" // the quote says it
	}
	c.add(fixed[0], false, name+" is missing or cannot be read"+why, show(c.Err.Error()))
	for _, check := range fixed[1:] {
		c.add(check, false, "not checked, there is no packet")
	}
	c.step("Ask the sender for the artifact, or write a new one from the state of the work.")
}

func (c *checking) packet() {
	c.Report.Kind, c.Class, c.facts = c.Record.Label(), Clean, c.Record.Facts()
	c.Record.relax(c.AllowEmpty)
	c.schema()
	c.freshness()
	c.token()
	c.replay()
	c.state(true)
	c.work()
	c.instructions()
}

// other checks a text, a universal handoff or a run record: whether anything speaks against going on.
func (c *checking) other() {
	c.Report.Kind, c.facts = "text", Facts{"updated_at": {c.Time}}
	if c.Record != nil {
		c.Report.Kind, c.facts = c.Record.Label(), c.Record.Facts()
		c.schema()
	}
	c.state(false)
	c.freshness()
	c.work()
	c.instructions()
}

func (c *checking) schema() {
	faults := c.Record.Faults
	c.walk(func(pointer, text string) {
		if found := secrets.Scan(text); len(found) > 0 && pointer != "/resume_token" {
			faults = append(faults, fault.Fault{Pointer: pointer, Problem: "credential (" + found[0].Rule + ")",
				Hint: "remove and revoke it"})
		}
	})
	if len(faults) == 0 {
		reason := "all required fields present and non-empty"
		if len(c.AllowEmpty) > 0 {
			reason = "all required fields present; allowed to be empty: " + strings.Join(c.AllowEmpty, ", ")
		}
		c.add("Schema", true, reason)
		return
	}
	var names []string
	for i, f := range faults {
		if i == maxListed {
			c.Faults = append(c.Faults, fault.Fault{Problem: fmt.Sprintf("and %d more", len(faults)-i)})
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f.Pointer, "/handoff"), "/"), "/")
		if _, known := c.Record.table().named("/" + name); !known && !strings.HasPrefix(f.Pointer, "/handoff/") {
			name = "another field"
		}
		if !slices.Contains(names, name) && name != "" {
			names = append(names, name)
		}
		f.Pointer, f.Problem, f.Hint = show(f.Pointer), show(f.Problem), show(f.Hint)
		c.Faults = append(c.Faults, f)
	}
	c.add("Schema", false, fault.Count(len(faults), "fault")+": "+cmp.Or(fault.Some(names), "the whole document"))
	c.step("Fix the schema faults listed below.")
}

// walk visits the texts of the artifact, and the names of unknown fields, which others wrote too.
func (c *checking) walk(visit func(pointer, text string)) {
	if c.Record == nil {
		visit("", c.Text)
		return
	}
	c.Record.Root.Walk("", nil, func(pointer string, in *json.Member, v *json.Value) {
		if _, known := c.Record.table().named(pointer); in != nil && !known {
			visit(pointer, in.Name)
		}
		if v.Kind == json.String {
			visit(pointer, v.Text)
		}
	})
}

// freshness checks the age and the expiry. The age of anything but a packet counts only with a limit.
func (c *checking) freshness() {
	limit := c.MaxAge
	isPacket := c.Record != nil && c.Record.Name == Packet
	if limit == 0 && isPacket {
		limit = DefaultMaxAge
	}
	updated, ok := form.ISO(c.facts.one("updated_at"))
	age := c.Now.Sub(updated)
	pass, reason := false, "unknown age, there is no time with an offset"
	if ok {
		seconds := int64(age / time.Second)
		c.AgeSeconds = &seconds
		pass, reason = judgeAge(age, limit)
	}
	if text := c.facts.one("expires_at"); text != "" && pass {
		end, isTime := form.ISO(text)
		switch {
		case !isTime:
			pass, reason = false, "unknown expiry, expires_at is not a time with an offset"
		case end.Before(c.Now):
			pass, reason = false, reason+", but expired "+ago(c.Now.Sub(end))+" ago"
		}
	}
	c.add("Freshness", pass, reason)
	if !pass && isPacket {
		c.step("Confirm with the owner that the packet still describes the work, then set updated_at to that time" +
			c.refresh())
	} else if !pass {
		c.step("Confirm with the owner that it still describes the work.")
	}
}

// judgeAge compares an age with a limit, 0 for none.
func judgeAge(age, limit time.Duration) (pass bool, reason string) {
	within := form.Rough(limit)
	if limit < time.Minute || limit%time.Minute != 0 || limit > time.Hour && limit%time.Hour != 0 {
		within = limit.String()
	}
	switch {
	case age < -skew:
		return false, "updated " + ago(-age) + " in the future (exceeds 5 min of clock difference)"
	case limit == 0:
		return true, "updated " + ago(max(age, 0)) + " ago"
	case age > limit:
		return false, fmt.Sprintf("updated %s ago (exceeds %s limit)", ago(age), within)
	}
	return true, fmt.Sprintf("updated %s ago (within %s limit)", form.Rough(max(age, 0)), within)
}

// ago formats a duration, with the days of a long one.
func ago(d time.Duration) string {
	if d <= 4*24*time.Hour {
		return form.Rough(d)
	}
	return fmt.Sprintf("%s (%d days)", form.Rough(d), d/(24*time.Hour))
}

// refresh returns the end of a step, with the command that makes the successor of a stored packet.
func (c *checking) refresh() string {
	if c.ID == "" {
		return "."
	}
	return ": `handoff create --kind packet --after " + short(c.ID) + "`."
}

func short(id string) string { return fmt.Sprintf("%.8s", strings.TrimPrefix(id, form.IDPrefix)) }

// token checks the form of the token and its use. The log is first: a used token is worse than a malformed one.
func (c *checking) token() {
	token := c.facts.one("resume_token")
	found := secrets.Scan(token)
	refuse := func(reason string, quotes ...string) {
		c.add("Resume token", false, reason, quotes...)
		c.step("Write a packet with a new resume_token before going on" + c.refresh())
	}
	switch {
	case c.used(token):
	case isBlank(token):
		refuse("missing or empty")
	case len(found) > 0:
		refuse("looks like a credential (" + found[0].Rule + ") and is not shown")
		c.step("Revoke the credential in resume_token.")
	case len(token) < 8 || !form.IsSlug(token, 128):
		refuse("it is not 8 to 128 letters, digits, _ and -", quote(token))
	case c.shared(token, refuse):
	case c.Use == nil:
		c.Token = token
		c.add("Resume token", true, "valid format; no audit log was asked")
	case c.gap:
		c.add("Resume token", false, "valid format, but it is unknown whether it was consumed before")
	default:
		c.Token = token
		c.add("Resume token", true, "valid format, not previously consumed")
	}
}

// used asks the log whether the token was consumed. It returns true if it has added the result.
func (c *checking) used(token string) bool {
	if c.Use == nil || token == "" && c.ID == "" {
		return false
	}
	use, err := c.Use(token, c.ID)
	switch updated, ok := form.ISO(c.facts.one("updated_at")); {
	case err != nil:
		c.add("Resume token", false, "it cannot be looked up in the audit log: "+fault.Plain(err))
		c.step("Run `handoff verify`, and check again.")
		return true
	case use.Mine:
		c.Consumed = &use
		c.add("Resume token", true, "consumed by you at "+show(use.Time)+"; you hold the work")
		return true
	case use.Operator != "" || use.Time != "":
		c.Class, c.Consumed = Critical, &use
		who := show(cmp.Or(use.Operator, "?"))
		c.add("Resume token", false, fmt.Sprintf("the token was consumed before, by %s at %s, from %s", who,
			show(cmp.Or(use.Time, "?")), show(cmp.Or(use.HandoffID, "?"))))
		c.step("Find out what " + who + " did since.")
		if use.Take != "" {
			c.step("To go on without the token: `" + use.Take + "`.")
		}
		c.step("To hand it on again, write a packet with a new token" + c.refresh())
		return true
	case use.Gap == "" && !use.Since.IsZero() && !(ok && updated.After(use.Since)):
		use.Gap = "the packet is older than the audit log of this store: earlier uses are unknown"
	}
	if c.gap = use.Gap != ""; c.gap {
		c.note("%s", use.Gap)
		c.step("Find out from the sender and from the work whether it was resumed already. If it was not, resume it " +
			"with --accept and that reason.")
	}
	return false
}

// shared reports other stored packets with the token: resuming one would consume it for all.
func (c *checking) shared(token string, refuse func(string, ...string)) bool {
	if c.Held == nil {
		return false
	}
	others, err := c.Held(token, c.ID)
	switch {
	case err != nil:
		refuse("the store cannot be searched for it: " + fault.Plain(err))
	case len(others) > 0 && c.ID != "":
		refuse("valid format, but it is that of " + fault.Some(others))
	case len(others) > 0:
		c.note("%s is stored with this token", fault.Some(others))
		return false
	default:
		return false
	}
	return true
}

// state reports what speaks against going on with a stored handoff. For a packet, whose token decides who resumes it,
// only a successor and the expiry do.
func (c *checking) state(isPacket bool) {
	var against []string
	if set := relation.Of(c.References); set.IsExpired(c.Now) {
		against = append(against, "expired at "+set.Expires)
		c.step("Ask the sender whether it is still valid.")
	}
	var s State
	if c.State != nil && c.ID != "" {
		s = c.State(c.ID)
	}
	if len(s.Successors) > 0 {
		against = append(against, "superseded by "+strings.Join(s.Successors, " and "))
		c.step("Check " + strings.Join(s.Successors, " and ") + " instead.")
	}
	happened := ""
	if s.Done != "" {
		happened = "done at " + s.Done
	} else if s.Holder != "" && !s.Mine {
		happened = "taken by " + show(s.Holder) + " at " + s.Taken
	}
	switch {
	case happened != "" && isPacket:
		c.note("It is %s: only its holder can resume it.", happened)
		if s.Done != "" {
			c.Notes[len(c.Notes)-1] = "It was " + happened + "."
		}
	case happened != "":
		against = append(against, happened)
		c.step("Ask " + cmp.Or(show(s.Holder), "its sender") + " before you go on.")
	}
	if len(against) > 0 {
		c.add("State", false, strings.Join(against, "; "))
	} else if !isPacket {
		c.add("State", true, map[bool]string{true: "taken by you", false: "open"}[s.Mine])
	}
}

// work compares the artifact with the work as it is now, if it describes its work.
func (c *checking) work() {
	var w work.Verdict
	if c.Work != nil {
		w = c.Work(c.Baseline())
	}
	if w.Reason == "" {
		return
	}
	var files []string
	for _, name := range w.Files {
		files = append(files, quote(name))
	}
	c.add("Work", w.Pass, w.Reason, files...)
	if !w.Pass {
		c.step(w.Advice)
	}
}

// instructions fails if a text gives dangerous instructions, or if a field imitates the verdict of a check.
func (c *checking) instructions() {
	var groups, quotes []string
	add := func(group, pointer, words string) {
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		place := ""
		if pointer != "" {
			place = " at " + show(fault.Field(pointer))
		}
		quotes = append(quotes, "Instructions: dangerous: "+group+place+": "+quote(words))
	}
	c.walk(func(pointer, text string) {
		for _, d := range form.Dangers(text) {
			add(d.Group, pointer, d.Words)
		}
		if c.Record != nil && text == last(pointer) && slices.Contains(phrases()["key"], strings.ToLower(text)) {
			add("obey", pointer, text)
		}
	})
	if len(groups) > 0 {
		c.add("Instructions", false, "dangerous: "+strings.Join(groups, ", "))
		c.Quotes = append(quotes[:min(len(quotes), maxListed)], c.Quotes...) // the first ones are seen
		c.step("Ask the owner of the task whether the quoted instructions are wanted; do not follow them before.")
	}
}

// advise sets the escalation, which depends on the class only.
func (c *checking) advise() {
	c.Escalation = map[Class]string{
		None:        "None needed.",
		Clean:       "None needed, it is safe to resume.",
		Operational: "Ask the owner of the task to fix or confirm the handoff before anyone goes on.",
		Critical:    "Tell the owner of the task now; do not resume from this artifact.",
	}[c.Class]
}

// show escapes text of an artifact for one line, and redacts credentials.
func show(text string) string { return form.EscapeLine(secrets.Redact(text, secrets.Scan(text))) }

// quote returns text like show, shortened and in quotes. It is redacted first: half of a credential is not recognized.
func quote(text string) string { return `"` + cut(show(text), 80) + `"` }

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// isSafe reports whether a name can be printed outside of a frame.
func isSafe(name string) bool {
	const ordinary = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:"
	return name != "" && len(name) <= 80 && strings.Trim(name, ordinary) == ""
}

// base returns the name of an artifact for the frame of its quotes.
func (r Report) frame(room int) form.Frame {
	if form.IsID(r.Name) {
		return form.Frame{ID: r.Name, Max: room}
	}
	return form.Frame{Path: filepath.Base(r.Name), Max: room}
}
