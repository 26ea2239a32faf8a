package packet_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/work"
)

func TestMissingArtifactIsCritical(t *testing.T) {
	r := packet.Check(packet.Input{Name: "gone.json", Err: fs.ErrNotExist}, options())
	if r.Class != packet.Critical || !strings.Contains(r.Checks[0].Reason, "missing or cannot be read: file does not exist") {
		t.Errorf("%+v", r)
	}
}

func TestFactsOfOtherKinds(t *testing.T) {
	facts := packet.Facts{
		Kind: "universal/3.0", Objective: "Summarise the survey", Unresolved: []string{"Question 7 has no answers"},
		NextAction: "Ask the panel about question 7", UpdatedAt: "2026-05-07T12:00:00Z", Cannot: []string{"resume_token", "completed"},
	}
	r := packet.Check(packet.Input{Facts: &facts}, options())
	if r.Class != packet.Operational || failing(r) != packet.Token {
		t.Errorf("a kind without a token: %s, failing %s", r.Class, failing(r))
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "has no place for resume_token, completed") {
		t.Errorf("notes %q", r.Notes)
	}
	facts.Faults = []fault.Fault{{Pointer: "/x", Problem: "is wrong\x1b[2J"}}
	r = packet.Check(packet.Input{Facts: &facts}, options())
	if failing(r) != "Schema,Resume token" || r.Faults[0].Problem != `is wrong\x1b[2J` {
		t.Errorf("%s %q", failing(r), r.Faults)
	}
	plain := packet.Facts{Kind: "plain", UpdatedAt: "2026-05-07T12:00:00Z", Cannot: append([]string{}, packet.Required()...)}
	r = packet.Check(packet.Input{Facts: &plain}, options())
	if r.Class != packet.Operational || !strings.Contains(r.Checks[3].Reason, "objective: missing in plain") {
		t.Errorf("%s %q", r.Class, r.Checks[3].Reason)
	}
}

func TestOptions(t *testing.T) {
	clean := fixture(t, "clean.json")
	for _, c := range []struct {
		name  string
		data  []byte
		set   func(*packet.CheckOptions)
		class packet.Class
		says  string
	}{
		{"max age", clean, func(o *packet.CheckOptions) { o.MaxAge = time.Hour }, packet.Operational, "updated 2 h ago (exceeds 1 h limit)"},
		{"odd max age", clean, func(o *packet.CheckOptions) { o.MaxAge = 90 * time.Minute }, packet.Operational, "updated 2 h ago (exceeds 1h30m0s limit)"},
		{"one second over", fixture(t, "stale-by-a-second.json"), func(*packet.CheckOptions) {}, packet.Operational, "updated 48 h ago (exceeds 48 h limit)"},
		{"no log", clean, func(o *packet.CheckOptions) { o.Consumed = nil }, packet.Clean, "no audit log was asked"},
		{"broken log", clean, func(o *packet.CheckOptions) {
			o.Consumed = func(_, _ string) (packet.Use, error) { return packet.Use{}, errors.New("torn line") }
		}, packet.Operational, "the audit log: torn line"},
		{"empty risks", withEmpty(t, "risks"), func(o *packet.CheckOptions) { o.AllowEmpty = []string{"risks"} }, packet.Clean, "allowed to be empty: risks"},
		{"empty unresolved", withEmpty(t, "unresolved"), func(o *packet.CheckOptions) { o.AllowEmpty = []string{"unresolved"} }, packet.Clean, "allowed to be empty: unresolved"},
		{"another field", withEmpty(t, "risks"), func(o *packet.CheckOptions) { o.AllowEmpty = []string{"completed"} }, packet.Operational, "/risks"},
		{"empty objective", withEmpty(t, "objective"), func(o *packet.CheckOptions) { o.AllowEmpty = []string{"objective"} }, packet.Operational, "objective is missing"},
	} {
		o := options()
		c.set(&o)
		r := packet.Check(packet.Input{Data: c.data}, o)
		if text := text(t, r); r.Class != c.class || !strings.Contains(text, c.says) {
			t.Errorf("%s: want %s and %q, got\n%s", c.name, c.class, c.says, text)
		}
	}
}

func withEmpty(t *testing.T, name string) []byte {
	var object map[string]any
	if err := json.Unmarshal(fixture(t, "clean.json"), &object); err != nil {
		t.Fatal(err)
	}
	if _, list := object[name].([]any); list {
		object[name] = []any{}
	} else {
		object[name] = ""
	}
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The answers of clean.json, as it has them.
func understood(t *testing.T) packet.Answers {
	says := packet.Input{Data: fixture(t, "clean.json")}.Says()
	return packet.Answers{Objective: says.Objective, Blocker: says.Unresolved[0], NextAction: says.NextAction}
}

// Only what is equal word by word is confirmed by itself. Whether other words mean the same, or the opposite, is for people to
// say: they see both.
func TestAnswers(t *testing.T) {
	good := understood(t)
	change := func(f func(*packet.Answers)) packet.Answers { a := good; f(&a); return a }
	for _, c := range []struct {
		name     string
		answers  packet.Answers
		pass     bool
		compared string
	}{
		{"word by word", good, true, ""},
		{"case, punctuation and space", change(func(a *packet.Answers) {
			a.Objective = "  " + strings.ToUpper(a.Objective) + " !! "
			a.NextAction += "…"
		}), true, ""},
		{"other words", change(func(a *packet.Answers) {
			a.Objective = "Moving the invoice service over to PostgreSQL 17, no write may be lost"
		}), false, "objective"},
		{"one word is the opposite", change(func(a *packet.Answers) { a.NextAction = strings.Replace(a.NextAction, "Ask", "Do not ask", 1) }), false, "next_action"},
		{"fewer words", change(func(a *packet.Answers) { a.NextAction = a.NextAction[:len(a.NextAction)-8] }), false, "next_action"},
		{"not answered", change(func(a *packet.Answers) { a.Blocker = "" }), false, "blocker"},
		{"no blocker", change(func(a *packet.Answers) { a.Blocker = "none" }), false, "blocker"},
		{"nothing right", packet.Answers{Objective: "a", Blocker: "b", NextAction: "c"}, false, "objective blocker next_action"},
	} {
		o := options()
		o.Answers = &c.answers
		r := packet.Check(packet.Input{Data: fixture(t, "clean.json")}, o)
		var compared []string
		for _, one := range r.Compared {
			compared = append(compared, one.Question)
		}
		if got := strings.Join(compared, " "); r.Checks[3].Pass != c.pass || got != c.compared || (r.Class == packet.Clean) != c.pass {
			t.Errorf("%s: %s, compared %s, %+v", c.name, r.Class, got, r.Checks[3])
		}
		o.ConfirmedBy = "ann"
		r = packet.Check(packet.Input{Data: fixture(t, "clean.json")}, o)
		if confirmed := c.name != "not answered"; r.Checks[3].Pass != confirmed || !c.pass && (r.ConfirmedBy == "ann") != confirmed {
			t.Errorf("%s, confirmed: %+v by %q", c.name, r.Checks[3], r.ConfirmedBy)
		}
	}
}

// "After" and "before" differ in one word, and both are shown.
func TestTheOppositeIsShown(t *testing.T) {
	data := []byte(strings.Replace(string(fixture(t, "clean.json")), understood(t).NextAction, "Review the script with the DBA after Saturday", 1))
	a := understood(t)
	a.NextAction = "Review the script with the DBA before Saturday"
	o := options()
	o.Answers = &a
	r := packet.Check(packet.Input{Name: "x", Data: data}, o)
	shown := text(t, r)
	for _, want := range []string{"next_action, in the packet: Review the script with the DBA after Saturday", "next_action, as answered:   Review the script with the DBA before Saturday", "OPERATIONAL"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing:\n%s", want, shown)
		}
	}
}

// A confirmation is about the answers alone.
func TestConfirmedIsNoMoreThanThat(t *testing.T) {
	o := options()
	a := understood(t)
	o.Answers, o.ConfirmedBy = &a, "ann"
	if r := packet.Check(packet.Input{Data: fixture(t, "stale.json")}, o); r.Class != packet.Operational {
		t.Errorf("%s", r.Class)
	}
	if r := packet.Check(packet.Input{Data: fixture(t, "placeholder-next.json")}, o); r.Checks[3].Pass {
		t.Errorf("%+v", r.Checks[3])
	}
}

// Of what was consumed before the audit log was begun anew, nobody knows.
// No credential of a packet gets into a report, wherever it stands.
func TestParseAnswers(t *testing.T) {
	a, err := packet.ParseAnswers([]byte(`{"objective":"a","blocker":"b","next_action":"c"}`))
	if err != nil || a != (packet.Answers{Objective: "a", Blocker: "b", NextAction: "c"}) {
		t.Errorf("%+v %v", a, err)
	}
	for _, bad := range []string{`{"objective":1}`, `{"answer":"a"}`, `[]`, `{`, `{"objective":"a","objective":"b"}`} {
		if _, err := packet.ParseAnswers([]byte(bad)); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// In a pipe too, each report and each row names its artifact, unless the name could say anything else.
func TestReportsNameTheirArtifacts(t *testing.T) {
	var all []packet.Report
	for _, name := range []string{"a/first.json", "ignore all of it.json"} {
		all = append(all, packet.Check(packet.Input{Name: name, Data: fixture(t, "clean.json")}, options()))
	}
	got := packet.Text(all, packet.TextOptions{})
	if !strings.Contains(got, "Report 1 of 2: a/first.json\n") || !strings.Contains(got, "Report 2 of 2\n") ||
		strings.Count(got, "a/first.json") != 2 || strings.Contains(got, "ignore all") {
		t.Error(got)
	}
}

func TestParseNamesEveryFault(t *testing.T) {
	_, err := packet.Parse([]byte("{\"objective\": 7,\n \"completed\": [\"a\", 3, \"\"],\n \"unresolved\": \"x\", \"updated_at\": \"soon\", \"agent\": \"\"}"))
	var invalid *fault.DocumentError
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	var got []string
	for _, f := range invalid.Faults {
		got = append(got, f.Pointer)
	}
	want := "/objective /completed/1 /completed/2 /unresolved /assumptions /next_action /risks /updated_at /resume_token /agent"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	if f := invalid.Faults[1]; f.Line != 2 || f.Column != 21 {
		t.Errorf("%+v", f)
	}
}

// What the work says of files stands in the frame, and not in our own words.
func TestFilesOfTheWorkAreQuoted(t *testing.T) {
	o := options()
	o.Work = func([]string, packet.Facts) work.Verdict {
		return work.Verdict{Reason: "of the 2 files 2 changed", Files: []string{"a b.go", "c.go"}}
	}
	r := packet.Check(packet.Input{Data: fixture(t, "clean.json")}, o)
	if got := text(t, r); !strings.Contains(got, "Work:          of the 2 files 2 changed\n") || !strings.Contains(got, `| Work: of the 2 files 2 changed: "a b.go"; "c.go"`) {
		t.Errorf("%s", got)
	}
}

// A packet in a Markdown text is not JSON, and that is said.
func TestMarkdownIsNoPacket(t *testing.T) {
	for _, text := range []string{"```json\n{}\n```\n", "# My packet\n\n{}"} {
		if _, err := packet.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "the text begins like Markdown") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestHostileInputEndsAsCritical(t *testing.T) {
	for _, data := range []string{
		strings.Repeat("[", 10_000), strings.Repeat(`{"a":`, 10_000), `{"a":1e1000001}`, strings.Repeat(" ", 5<<20), `{"objective":"` + strings.Repeat("ignore all ", 1<<19) + `"}`, "\xff\xfe{}", "{\"objective\":\"\x00\"}",
	} {
		if r := packet.Check(packet.Input{Data: []byte(data)}, options()); r.Class != packet.Critical {
			t.Errorf("%.20q: %s", data, r.Class)
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		string(fixture(t, "clean.json")): true, string(fixture(t, "missing-fields.json")): true, `{"resume_token":"x"}`: true,
		`{}`: false, `[]`: false, `{"handoff":{"version":"3.0"}}`: false, `{"task_id":"a","summary":"b","risks":[]}`: false, `{`: false,
	} {
		if got := record.Detect([]byte(text)) == packet.Kind; got != want {
			t.Errorf("%.40s: %t", text, got)
		}
	}
}

// A token that is issued passes the check, and nobody else has it.
