package operators_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

const (
	two = `schema_version: '1.0'
operators:
  - id: alice
    display_name: Alice Example
    github_handle: alice-example
    git_email: alice@example.org
    capabilities: [write, 'merge']
    active_since: 2026-01-01
    active_until:
  - id: "bob"
    display_name: "Bob"
    github_handle: "bob"
    git_email: "Bob@Example.org"
    capabilities: []
    active_since: 2026-01-01T00:00:00Z
    active_until: '2026-05-07'
`
)

func mustParse(t testing.TB, head string) *operators.List {
	t.Helper()
	r, problems := operators.Parse([]byte(head))
	if len(problems) > 0 {
		t.Fatalf("problems in a good file: %v", problems)
	}
	return r
}

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestParse(t *testing.T) {
	want := []operators.Operator{{
		ID: "alice", DisplayName: "Alice Example", GitHubHandle: "alice-example", GitEmail: "alice@example.org",
		Capabilities: []string{"write", "merge"}, ActiveSince: "2026-01-01",
	}, {
		ID: "bob", DisplayName: "Bob", GitHubHandle: "bob", GitEmail: "Bob@Example.org",
		Capabilities: []string{}, ActiveSince: "2026-01-01T00:00:00Z", ActiveUntil: "2026-05-07",
	}}
	r := mustParse(t, two)
	if diff := cmp.Diff(want, r.All()); diff != "" {
		t.Error(diff)
	}
}

func TestParseReportsEveryFaultWithItsLine(t *testing.T) {
	head := `schema_version: '9'
operators:
  - id: al ice
    display_name: ''
    github_handle: "a b"
    git_email: nobody
    capabilities: write
    active_since: 2026-13-01
    active_until: tomorrow
    nickname: al
  - id: bob
    id: bob
    display_name: 12
  - just text
  - {id: carol, display_name: C, github_handle: c, git_email: c@d, capabilities: [[]], active_since: '2026-02-01', active_until: 2026-01-31}
  - {id: carol, display_name: C, github_handle: c, git_email: c@d, capabilities: [], active_since: '2026-02-01'}
owner: me
`
	r, problems := operators.Parse([]byte(head))
	if r != nil {
		t.Error("a list in spite of problems")
	}
	var got strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&got, "line %d: %s\n", p.Line, p.Problem)
	}
	want := `line 2: the frontmatter: schema_version must be 1.0, not "9"
line 4: operators[0]: id must be 1 to 64 ASCII letters, digits, _ and (not first) -, not "al ice"
line 5: operators[0]: display_name must be one line of text, not ""
line 6: operators[0]: github_handle must be one word without spaces, not "a b"
line 7: operators[0]: git_email must be an email address, not "nobody"
line 8: operators[0]: capabilities must be a list
line 9: operators[0]: active_since must be a date such as 2026-05-07 or a time such as 2026-05-07T12:00:00Z, not "2026-13-01"
line 10: operators[0]: active_until must be a date such as 2026-05-07 or a time such as 2026-05-07T12:00:00Z, not "tomorrow"
line 11: operators[0] has the unknown key "nickname"; known are id, display_name, github_handle, git_email, capabilities, active_since, active_until, ssh_keys, require_signature
line 13: the key "id" is given twice, first on line 12
line 14: operators[1]: display_name: YAML does not read "12" as text; write it in quotes
line 15: operators[2] must be a mapping with the keys id, display_name, github_handle, git_email, capabilities, active_since, active_until, ssh_keys, require_signature
line 16: operators[3]: capabilities[0] must be one line of text, not a list or a mapping
line 16: operators[3]: active_until 2026-01-31 is before active_since 2026-02-01
line 17: operator "carol" is already on line 16; ids must differ
line 18: the frontmatter has the unknown key "owner"; known are schema_version, operators, teams
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ head, want string }{
		"nothing":            {"", "line 2: the frontmatter has no schema_version"},
		"comments only":      {"# nobody\n", "line 2: the frontmatter has no schema_version"},
		"no mapping":         {"- a\n", "line 2: the frontmatter must be a mapping"},
		"no operators":       {"schema_version: '1.0'\n", "line 2: the frontmatter has no operators"},
		"operators null":     {"schema_version: '1.0'\noperators:\n", "line 2: the frontmatter has no operators"},
		"syntax":             {"schema_version: '1.0'\noperators: [\n", "a value begins with a character"},
		"second document":    {"schema_version: '1.0'\n---\nx: y\n", "line 3: a second YAML document"},
		"document end":       {"schema_version: '1.0'\n... \nx: y\n", "line 3: a line that begins with"},
		"anchor":             {"schema_version: &v '1.0'\noperators: []\n", "line 2: anchors are not allowed"},
		"alias":              {"schema_version: &v '1.0'\noperators: *v\n", "line 3: aliases are not allowed"},
		"alias to itself":    {"a: &a [*a]\n", "line 2: aliases are not allowed"},
		"tag":                {"schema_version: !!binary MQ==\noperators: []\n", "line 2: tags other than !!str are not allowed"},
		"merge key":          {"<<: {schema_version: '1.0'}\noperators: []\n", "line 2: merge keys are not allowed"},
		"not UTF-8":          {"schema_version: '1.0\xff'\n", "line 2: the frontmatter is not valid UTF-8"},
		"UTF-16":             {"\xff\xfea\x00", "line 2: the frontmatter is not valid UTF-8"},
		"hidden line break":  {"schema_version: '1.0' # x\u2028operators: []\n", "line 2: the frontmatter holds the character U+2028"},
		"too large":          {strings.Repeat("#", operators.MaxBytes+1), "line 2: the frontmatter is larger than"},
		"hidden characters":  {strings.Replace(two, `"Bob"`, `"B\u2028ob"`, 1), "line 12: operators[1]: display_name"},
		"unquoted boolean":   {strings.Replace(two, `"Bob"`, `true`, 1), "line 12: operators[1]: display_name: YAML does not read"},
		"one-digit hour":     {strings.Replace(two, `2026-01-01T00:00:00Z`, `2026-01-01T0:00:00Z`, 1), "line 16: operators[1]: active_since"},
		"comma":              {strings.Replace(two, `2026-01-01T00:00:00Z`, `2026-01-01T00:00:00,5Z`, 1), "line 16: operators[1]: active_since"},
		"a time with spaces": {strings.Replace(two, `2026-01-01T00:00:00Z`, `2026-01-01 00:00:00`, 1), "line 16: operators[1]: active_since"},
		"65 characters":      {strings.Replace(two, `"bob"`, strings.Repeat("b", 65), 1), "line 11: operators[1]: id"},
		"newline after id":   {strings.Replace(two, `"bob"`, `"bob\n"`, 1), "line 11: operators[1]: id"},
	} {
		r, problems := operators.Parse([]byte(tt.head))
		var got strings.Builder
		for _, p := range problems {
			fmt.Fprintf(&got, "line %d: %s\n", p.Line, p.Problem)
		}
		if r != nil || len(problems) == 0 || !strings.Contains(got.String(), tt.want) {
			t.Errorf("%s: got %s, want %q", name, got.String(), tt.want)
		}
	}
}

func TestVersions(t *testing.T) {
	for version, good := range map[string]bool{"1.0": true, "'1'": true, "1": true, "'1.2'": true, "'1.12'": false, "2.0": false, "''": false, "1.": false, "v1": false, "true": false} {
		_, problems := operators.Parse([]byte("operators: []\nschema_version: " + version + "\n"))
		if good != (problems == nil) {
			t.Errorf("schema_version %s: %v", version, problems)
		}
	}
}

func TestVerify(t *testing.T) {
	r := mustParse(t, two)
	for _, tt := range []struct {
		name, id, now string
		want          operators.State
	}{
		{"known", "alice", "2026-05-07T12:00:00Z", operators.Verified},
		{"unknown", "mallory", "2026-05-07T12:00:00Z", operators.Unknown},
		{"other case", "Alice", "2026-05-07T12:00:00Z", operators.Unknown},
		{"last day", "bob", "2026-05-07T23:59:59Z", operators.Verified},
		{"last day is UTC", "bob", "2026-05-08T01:59:59+02:00", operators.Verified},
		{"offboarded", "bob", "2026-05-08T00:00:00Z", operators.Unverified},
	} {
		got := r.Verify(tt.id, at(tt.now))
		if got.State != tt.want || (got.Reason == "") != (tt.want == operators.Verified) {
			t.Errorf("%s: got %+v, want %s", tt.name, got, tt.want)
		}
	}
}

func TestByEmail(t *testing.T) {
	before, after := at("2026-05-07T12:00:00Z"), at("2026-05-08T12:00:00Z")
	r := mustParse(t, two)
	shared := mustParse(t, strings.ReplaceAll(two, "alice@example.org", "bob@example.org"))
	for _, tt := range []struct {
		list  *operators.List
		email string
		now   time.Time
		want  string
	}{
		{r, "ALICE@example.org", before, "alice"},
		{r, "bob@example.org", before, "bob"},
		{r, "bob@example.org", after, ""},
		{r, "", before, ""},
		{shared, "bob@example.org", before, ""},
		{shared, "bob@example.org", after, "alice"},
	} {
		if id, ok := tt.list.ByEmail(tt.email, tt.now); id != tt.want || ok != (tt.want != "") {
			t.Errorf("ByEmail(%q): got %q, %v, want %q", tt.email, id, ok, tt.want)
		}
	}
}

// Whatever strings a file holds in quotes come back as they are, or are refused.
func TestQuotedStringsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		if strings.ContainsAny(name, "\r\n\u0085\u2028\u2029") {
			t.Skip("YAML folds line breaks in quotes")
		}
		quoted := "'" + strings.ReplaceAll(name, "'", "''") + "'"
		r, problems := operators.Parse([]byte(strings.Replace(two, "Alice Example", quoted, 1)))
		if problems == nil && r.All()[0].DisplayName != name {
			t.Errorf("got %q", r.All()[0].DisplayName)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		two, two + "teams: {web: [alice]}\n", "", "operators: [{}]", "a: &a [*a]", "? {a: b}\n: c\n", "...\n", "--- a\n--- b\n", "%YAML 1.1\n---\n",
		strings.Repeat("[", 200), strings.Repeat("- ", 200), "a: |\n  b\n---\n", "{a: b, a: c}", "# c\n\t\n", "\ufeffa: b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		r, problems := operators.Parse(head)
		if (r == nil) != (len(problems) > 0) {
			t.Fatal("neither a list nor a problem, or both")
		}
		for i, p := range problems {
			if p.Line < 2 || p.Problem == "" || i > 0 && p.Line < problems[i-1].Line {
				t.Errorf("bad problem %+v", p)
			}
		}
		if r == nil {
			return
		}
		again, err := operators.FromJSON(r.JSON())
		if err != nil || !cmp.Equal(again.All(), r.All()) || string(again.JSON()) != string(r.JSON()) {
			t.Errorf("%v: %s", err, r.JSON())
		}
		if _, faults := operators.Parse(r.JSON()); faults != nil {
			t.Errorf("%v: %s", faults, r.JSON())
		}
		for _, o := range r.All() {
			if r.Verify(o.ID, time.Time{}).State == operators.Unknown {
				t.Errorf("%q is unknown to its own list", o.ID)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		mustParse(b, two)
	}
}

func TestSSHKeys(t *testing.T) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINNwMHM8lLcve+HMdKmjaanRnkdOE0Sm3ZUxkjv5LTgg"
	begin := "schema_version: '1.0'\noperators:\n  - {id: ann, display_name: A, github_handle: a, git_email: a@b, capabilities: [], active_since: 2026-01-01, "
	list := mustParse(t, begin+"require_signature: refuse, ssh_keys: [{key: '"+key+" ann@host'}, {key: '"+key+"'}]}\n")
	ann, _ := list.Of("ann")
	if keys := ann.Keys(); len(keys) != 2 || string(keys[0]) != key {
		t.Errorf("%+v", keys)
	}
	if ann.Require != operators.RequireRefuse || list.Owner(operators.Key(key)) != "ann" || list.Owner("") != "" {
		t.Errorf("%+v", ann)
	}
	for more, want := range map[string]string{
		"require_signature: always": "require_signature must be none or refuse",
		"ssh_keys: x":               "ssh_keys must be a list",
		"ssh_keys: [x]":             "ssh_keys[0] must be a mapping with the keys key",
		"ssh_keys: [{}]":            "ssh_keys[0] has no key",
		"ssh_keys: [{key: 'ssh-rsa " + key[12:] + "'}]":   "must be a public key as OpenSSH writes it",
		"ssh_keys: [{key: '" + key + "', revoked: true}]": `has the unknown key "revoked"`,
	} {
		if _, faults := operators.Parse([]byte(begin + more + "}\n")); len(faults) == 0 || !strings.Contains(faults[0].Problem, want) {
			t.Errorf("%s: %v", more, faults)
		}
	}
}

func TestTeamsRefuse(t *testing.T) {
	for teams, want := range map[string]string{
		"[web]":                 "teams must be a mapping such as web: [ann, ben]",
		"{a b: [alice]}":        "the name of a team must be",
		"{web: [al ice]}":       "a member of team web must be",
		"{web: [alise]}":        `team "web": "alise" is not an operator of this file; did you mean alice?`,
		"{web: }":               `team "web" has no list of members; add one`,
		"{web: alice}":          `team "web" has no list of members; add one`,
		"{alice: [bob]}":        `team "alice" is an operator too`,
		"{next: [bob]}":         "a team cannot have the name next",
		"{web: [bob], web: []}": `the key "web" is given twice`,
	} {
		if _, faults := operators.Parse([]byte(two + "teams: " + teams + "\n")); len(faults) == 0 ||
			!strings.Contains(faults[0].Problem, want) {
			t.Errorf("%s: %v", teams, faults)
		}
	}
}

// What the audit log keeps is the file: as JSON, and as frontmatter.
func TestJSON(t *testing.T) {
	l := mustParse(t, two+"  - {id: cy, require_signature: refuse, ssh_keys: [{key: '"+string(annKey)+" cy'}]}\n"+
		"teams:\n  web: [cy, alice]\n")
	want := `{"operators":[{"active_since":"2026-01-01","capabilities":["write","merge"],` +
		`"display_name":"Alice Example","git_email":"alice@example.org","github_handle":"alice-example","id":"alice"},` +
		`{"active_since":"2026-01-01T00:00:00Z","active_until":"2026-05-07","capabilities":[],"display_name":"Bob",` +
		`"git_email":"Bob@Example.org","github_handle":"bob","id":"bob"},{"capabilities":[],"id":"cy",` +
		`"require_signature":"refuse","ssh_keys":[{"key":"` + string(annKey) + ` cy"}]}],"schema_version":"1.0",` +
		`"teams":{"web":["cy","alice"]}}`
	if diff := cmp.Diff(want, string(l.JSON())); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "null"} {
		if none, err := operators.FromJSON([]byte(text)); none != nil || err != nil || string(none.JSON()) != "null" {
			t.Errorf("%q: %v, %v", text, none, err)
		}
	}
	if _, err := operators.FromJSON([]byte(`{"operators":"x"}`)); err == nil {
		t.Error("another form was read")
	}
}

// Nobody is in a nil list.
func TestNil(t *testing.T) {
	var l *operators.List
	if l.Has("ann") || l.IsActive("ann", time.Time{}) || l.Can("ann", "human", time.Time{}) || l.All() != nil ||
		l.Active(time.Time{}) != nil || l.Teams() != nil || l.Owner(annKey) != "" {
		t.Error("somebody is")
	}
}

// The operators file decides before the name that the project has, and git suggests one at the end.
func TestIdentityOf(t *testing.T) {
	project := operators.Identity{Operator: "pro", Source: "operator in .handoff.yaml"}
	for _, tt := range []struct {
		project     operators.Identity
		email, name string
		want        string
	}{
		{project, "alice@example.org", "", "alice: git config user.email is alice@example.org, as the operators file has it"},
		{project, "eve@example.org", "", "pro: operator in .handoff.yaml"},
		{operators.Identity{}, "Eve.Doe@example.org", "Al", "eve-doe: git config user.email is Eve.Doe@example.org"},
		{operators.Identity{}, "", "Al Doe", "al: git config user.name is Al Doe"},
		{operators.Identity{}, "", "", ": "},
		{operators.Identity{}, "12345678+zhangwei@users.noreply.github.com", "",
			"zhangwei: git config user.email is 12345678+zhangwei@users.noreply.github.com"},
		{operators.Identity{}, "al+work@example.org", "", "al: git config user.email is al+work@example.org"},
		{operators.Identity{}, "info@example.org", "Al Doe", "al: git config user.name is Al Doe"},
		{operators.Identity{}, "Support@example.org", "root", ": "},
	} {
		got := operators.IdentityOf(func() (*operators.List, error) { return mustParse(t, two), nil }, tt.project,
			func(key string) string { return map[string]string{"user.email": tt.email, "user.name": tt.name}[key] },
			at("2026-05-07T12:00:00Z"))
		if text := got.Operator + ": " + got.Source; text != tt.want {
			t.Errorf("got %s, want %s", text, tt.want)
		}
	}
}

func TestRead(t *testing.T) {
	if l, err := operators.Read("OPERATORS.md", []byte("---\n"+two+"---\nNotes.\n")); err != nil || !l.Has("bob") {
		t.Error(err)
	}
	_, err := operators.Read("OPERATORS.md", []byte("---\noperators: []\n---\n"))
	var place interface{ Place() (string, int) }
	if !errors.Is(err, fault.ErrConfig) || !errors.As(err, &place) ||
		err.Error() != "OPERATORS.md: line 2, column 1: the frontmatter has no schema_version; add it" {
		t.Errorf("%v", err)
	}
	if _, faults := operators.ParseFile([]byte("no head")); len(faults) != 1 {
		t.Error(faults)
	}
}

// A team means its members that are still there, without the sender unless nobody else is.
func TestRecipients(t *testing.T) {
	l := mustParse(t, two+"  - id: cy\nteams:\n  web: [alice, bob, cy]\n")
	for _, tt := range []struct{ id, from, day, want string }{
		{"web", "alice", "2026-05-07T12:00:00Z", "[bob cy]"},
		{"web", "eve", "2026-05-07T12:00:00Z", "[alice bob cy]"},
		{"web", "alice", "2026-05-08T12:00:00Z", "[cy]"},
		{"bob", "bob", "2026-05-07T12:00:00Z", "[bob]"},
	} {
		if got := fmt.Sprint(l.Recipients(tt.id, tt.from, at(tt.day))); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
