package settings_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

const all = `# every key
handoffs_dir: notes/handoffs
state_dir: '.state'
operators_file: "docs/OPERATORS.md"
operator: alice
verify_operators: false
schema_mode: warn
git: tracked
remote: hub.2
sync_namespace: refs/heads/handoff
lock_timeout: 1m30s
max_document_bytes: 2048
index_max_rows: 10
surface_max_chars: 100
surface_max_age_days: 7
record_work: false
lease: 30m
`

func TestParse(t *testing.T) {
	got, err := settings.Parse([]byte(all), "x")
	if err != nil {
		t.Fatal(err)
	}
	want := settings.Settings{
		HandoffsDir:       inFile("notes/handoffs"),
		StateDir:          inFile(".state"),
		OperatorsFile:     inFile("docs/OPERATORS.md"),
		Operator:          inFile("alice"),
		VerifyOperators:   inFile(false),
		SchemaMode:        inFile(settings.Warn),
		Git:               inFile(disk.GitTracked),
		Remote:            inFile("hub.2"),
		SyncNamespace:     inFile("refs/heads/handoff"),
		LockTimeout:       inFile(90 * time.Second),
		MaxDocumentBytes:  inFile(2048),
		IndexMaxRows:      inFile(10),
		SurfaceMaxChars:   inFile(100),
		SurfaceMaxAgeDays: inFile(7),
		RecordWork:        inFile(false),
		Lease:             inFile(30 * time.Minute),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func inFile[T any](value T) settings.Setting[T] {
	return settings.Setting[T]{Value: value, Source: settings.File}
}

func byDefault[T any](value T) settings.Setting[T] {
	return settings.Setting[T]{Value: value, Source: settings.Default}
}

func TestParseNothingGivesTheDefaults(t *testing.T) {
	want := settings.Settings{
		HandoffsDir:       byDefault("handoffs"),
		StateDir:          byDefault(".run"),
		OperatorsFile:     byDefault("OPERATORS.md"),
		Operator:          byDefault(""),
		VerifyOperators:   byDefault(true),
		SchemaMode:        byDefault(settings.Strict),
		Git:               byDefault(disk.GitNone),
		Remote:            byDefault("origin"),
		SyncNamespace:     byDefault("refs/handoff"),
		LockTimeout:       byDefault(30 * time.Second),
		MaxDocumentBytes:  byDefault(1048576),
		IndexMaxRows:      byDefault(5000),
		SurfaceMaxChars:   byDefault(4000),
		SurfaceMaxAgeDays: byDefault(0),
		RecordWork:        byDefault(true),
		Lease:             byDefault(2 * time.Hour),
	}
	for _, src := range []string{"", "\n", "# only a comment\n", "---\n", "---\n# comment\n", "{}\n", "\ufeff"} {
		got, err := settings.Parse([]byte(src), "x")
		if err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", src, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"\nhandoff_dir: x\n", `x:2: unknown key "handoff_dir"; did you mean handoffs_dir?`},
		{"lock_timout: 1s\n", `x:1: unknown key "lock_timout"; did you mean lock_timeout?`},
		{"Operator: a\n", `x:1: unknown key "Operator"; did you mean operator?`},
		{"<<: {operator: a}\n", "x:1: merge keys are not allowed"},
		{"operator: a\noperator: b\n", `x:2: the key "operator" is given twice, first on line 1; keep one of them`},
		{"operator:\n", "x:1: operator has no value; give it one or remove the line"},
		{"operator: a b\n", `x:1: operator must be 1 to 64 ASCII letters, digits, _ and (not first) -, not "a b"`},
		{"operator: ''\n", "x:1: operator must be"},
		{"operator: 12\n", `x:1: operator must be 1 to 64 ASCII letters, digits, _ and (not first) -, not "12"; write it in quotes`},
		{"operator: [a]\n", "x:1: operator must be 1 to 64 ASCII letters, digits, _ and (not first) -, not a list or a mapping"},
		{"operator: &a b\n", `x:1: anchors are not allowed: "&a"; remove it`},
		{"operator: &a b\nstate_dir: *a\n", `x:2: aliases are not allowed: "*a"; write the value out`},
		{"operator: !!int b\n", `x:1: tags other than !!str are not allowed: "!!int"; remove it`},
		{"&a {operator: b}\n", "x:1: anchors are not allowed"},
		{"handoffs_dir: ''\n", "x:1: handoffs_dir must be a path"},
		{"handoffs_dir: ~/x\n", "x:1: handoffs_dir must be a path"},
		{"handoffs_dir: \"a\\0b\"\n", "x:1: handoffs_dir must be a path"},
		{"verify_operators: yes\n", `x:1: verify_operators must be true or false, not "yes"`},
		{"verify_operators: 'true'\n", `x:1: verify_operators must be true or false, not "true"; write it without quotes`},
		{"schema_mode: loose\n", `x:1: schema_mode must be strict or warn, not "loose"`},
		{"lock_timeout: 30\n", `x:1: lock_timeout must be a duration such as 30s, 48h or 3d, not "30"`},
		{"lock_timeout: -1s\n", "x:1: lock_timeout must be a duration"},
		{"max_document_bytes: 4194305\n", "x:1: max_document_bytes must be a number from 1 to 4194304"},
		{"max_document_bytes: 1e3\n", "x:1: max_document_bytes must be a number"},
		{"max_document_bytes: 0x10\n", "x:1: max_document_bytes must be a number"},
		{"max_document_bytes: 010\n", "x:1: max_document_bytes must be a number"},
		{"index_max_rows: -1\n", "x:1: index_max_rows must be a number from 2 to 1000000"},
		{"[operator]: a\n", "x:1: a key is not a plain word"},
		{"just text\n", "x:1: the settings must be lines of the form key: value"},
		{"- operator\n", "x:1: the settings must be lines of the form key: value"},
		{strings.Repeat("\x00", 64), "x:1: the file holds the character U+0000; remove it"},
		{"operator: ann\n" + strings.Repeat("\x00", 64), "x:2: the file holds the character U+0000"},
		{"operator: [\n", "x:1: a value begins with a character that it cannot begin with"},
		{"operator: a\n---\noperator: b\n", "x:2: a second YAML document begins here"},
		{"operator: a\n...\nstate_dir: b\n", `x:2: a line that begins with "..." ends the YAML document`},
		{"# on\u2028verify_operators: false\n", "x:1: the file holds the character U+2028"},
		{"operator: \xff\n", "x:1: the file is not valid UTF-8 here"},
		{strings.Repeat("#", settings.MaxBytes+1), "x:1: the file is larger than 65536 bytes"},
		{"operator: &" + strings.Repeat("a", 60000) + " b\n", `x:1: anchors are not allowed: "&aaa`},
		{"operator: !" + strings.Repeat("a", 60000) + " b\n", `x:1: tags other than !!str are not allowed: "!aaa`},
		{"operator: *" + strings.Repeat("a", 60000) + "\n", `x:1: aliases are not allowed: "*aaa`},
		{"a: 1\nb: 2\n", "x:1: unknown key \"a\"; remove the line"},
		{"a: 1\nb: 2\n", "\nx:2: unknown key \"b\"; remove the line"},
	} {
		got, err := settings.Parse([]byte(tt.src), "x")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80q: got %v, want %q", tt.src, err, tt.want)
		} else if len(err.Error()) > 500 {
			t.Errorf("%.80q: an error of %d bytes", tt.src, len(err.Error()))
		}
		if got != (settings.Settings{}) {
			t.Errorf("%.80q: settings in spite of the error", tt.src)
		}
	}
}

// A path in quotes is taken as it is or refused.
func TestPathsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.String().Draw(t, "path")
		if strings.ContainsAny(path, "\r\n\u0085\u2028\u2029") {
			t.Skip("YAML folds line breaks in quotes")
		}
		src := "state_dir: '" + strings.ReplaceAll(path, "'", "''") + "'\n"
		s, err := settings.Parse([]byte(src), "x")
		if err == nil && s.StateDir != inFile(path) {
			t.Errorf("got %+v", s.StateDir)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", all, "{", "a: &a [*a]\n", "? {a: b}\n: c\n", "--- a\n--- b\n", "...\n", "%YAML 1.1\n---\n", "~", "!!null", "''",
		strings.Repeat("[", 200), strings.Repeat("a: 1\n", 50), "# c\n\t\n", "lock_timeout: 99999999999h\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := settings.Parse(src, "x")
		if err != nil && (s != settings.Settings{} || !strings.HasPrefix(err.Error(), "x:")) {
			t.Errorf("error without a place, or with settings: %v", err)
		}
		if err == nil && (s.MaxDocumentBytes.Value < 1 || s.LockTimeout.Value < 0 || s.HandoffsDir.Value == "") {
			t.Errorf("bad settings accepted: %+v", s)
		}
	})
}
