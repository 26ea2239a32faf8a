package signers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/signers"
)

const (
	annKey = signers.Key("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINNwMHM8lLcve+HMdKmjaanRnkdOE0Sm3ZUxkjv5LTgg")
	eveKey = signers.Key("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOrvP89uyupCbqyFcCz1nNtKuLT8YIUkj0Vhf/xYamSs")
)

func TestParseKey(t *testing.T) {
	for line, want := range map[string]signers.Key{
		string(annKey):                   annKey,
		string(annKey) + " ann@host x":   annKey,
		"  " + string(annKey) + "\n":     annKey,
		"ssh-rsa " + string(annKey)[12:]: "",
		"ssh-ed25519":                    "",
		"ssh-ed25519 AAAA":               "",
		"ssh-ed25519 AAAA/////w==":       "",
		"":                               "",
	} {
		if got, ok := signers.ParseKey(line); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", line, got, ok)
		}
	}
	if got := annKey.Fingerprint(); got != "SHA256:"+keygenFingerprint(t, annKey) {
		t.Error(got)
	}
}

func keygenFingerprint(t *testing.T, key signers.Key) string {
	t.Helper()
	cmd := exec.Command("ssh-keygen", "-l", "-f", "-")
	cmd.Stdin = strings.NewReader(string(key) + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Skip("ssh-keygen is the oracle")
	}
	_, rest, _ := strings.Cut(string(out), "SHA256:")
	return strings.Fields(rest)[0]
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// Each line allows ann's key to ann, or does not; ssh-keygen is asked too.
func TestAllowedSigners(t *testing.T) {
	key := string(annKey)
	lines := map[string]bool{
		"ann " + key:                              true,
		"ann@example.org " + key:                  true,
		"ben,a?n " + key:                          true,
		"* " + key:                                true,
		`"ann,ben" ` + key:                        true,
		"*,!ann " + key:                           false,
		"!ann,* " + key:                           false,
		"ben " + key:                              false,
		"ann ssh-rsa " + key[12:]:                 false,
		"# ann " + key:                            false,
		"ann " + string(eveKey):                   false,
		`ann namespaces="handoff-v1" ` + key:      true,
		`ann namespaces="file,handoff-*" ` + key:  true,
		`ann namespaces="file" ` + key:            false,
		`ann valid-after="20260101Z" ` + key:      true,
		`ann valid-after="20270101Z" ` + key:      false,
		`ann valid-before="20260101Z" ` + key:     false,
		`ann valid-before="202605071201Z" ` + key: true,
		`ann valid-before="202605071200Z" ` + key: false,
		`ann valid-before="20260507120001Z",namespaces="handoff-v1" ` + key: true,
		`ann cert-authority ` + key:                                         false,
		`ann valid-after="tomorrow" ` + key:                                 false,
		`ann unknown-option ` + key:                                         false,
	}
	for line, want := range lines {
		trust := signers.Trust{Allowed: signers.ParseAllowed("\n" + line + "\n"), Authors: []signers.Author{{Name: "ann", Email: "ann@example.org"}}}
		f, err := trust.Judge("ann", annKey, func() (time.Time, error) { return at("2026-05-07T12:00:00Z"), nil })
		if got := f.State == signers.Good; err != nil || got != want {
			t.Errorf("%s: %v, %v", line, f, err)
		}
	}
}

// ssh-keygen finds the principals of the same lines.
func TestAllowedSignersAsSSHKeygenReadsThem(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is the oracle")
	}
	dir := t.TempDir()
	run := func(args ...string) error { return exec.Command("ssh-keygen", args...).Run() }
	if err := run("-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, "key")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "key.pub"))
	key, ok := signers.ParseKey(string(text))
	message := filepath.Join(dir, "message")
	if os.WriteFile(message, []byte("text\n"), 0o600) != nil || err != nil || !ok || run("-Y", "sign", "-q", "-f", filepath.Join(dir, "key"), "-n", signers.Namespace, message) != nil {
		t.Fatal("cannot sign")
	}
	for _, begin := range []string{"ann", "ben", "ben,a?n", "*", `"ann,ben"`, "*,!ann", "!ann,*", "a[n]n", "ann,", `ann namespaces="handoff-v1"`, `ann namespaces="file"`,
		`ann namespaces="file,handoff-*"`, `ann valid-after="20200101"`, `ann valid-after="20990101"`, `ann valid-before="20200101Z"`, `ann valid-before="2099010112Z"`,
		`ann valid-before="209901011200"`, `ann cert-authority`, `ann NAMESPACES="handoff-v1"`, `ann valid-after="20200101",valid-before="20990101"`} {
		line := begin + " " + string(key) + " comment\n"
		allowed := filepath.Join(dir, "allowed")
		if err := os.WriteFile(allowed, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "ann", "-n", signers.Namespace, "-s", message+".sig")
		cmd.Stdin = strings.NewReader("text\n")
		want := cmd.Run() == nil
		f, err := signers.Trust{Allowed: signers.ParseAllowed(line)}.Judge("ann", key, func() (time.Time, error) { return time.Now(), nil })
		if got := f.State == signers.Good; err != nil || got != want {
			t.Errorf("%s: %v %v, ssh-keygen says %v", begin, f, err, want)
		}
	}
}

func TestJudge(t *testing.T) {
	rule := func(key signers.Key) []signers.Rule { return []signers.Rule{{Key: key}} }
	pins := func(keys, former []signers.Key) signers.Pins {
		return signers.Pins{"ann": {Keys: keys, Former: former}}
	}
	ann, eve := []signers.Key{annKey}, []signers.Key{eveKey}
	for name, c := range map[string]struct {
		trust          signers.Trust
		state          string
		first, changed bool
	}{
		"nobody knows it":        {signers.Trust{}, signers.UnknownKey, false, false},
		"first sight":            {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(annKey)}}}, signers.Good, true, false},
		"pinned":                 {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(annKey)}}, Pins: pins(ann, nil)}, signers.Good, false, false},
		"changed":                {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(annKey)}}, Pins: pins(eve, nil)}, signers.UnknownKey, false, true},
		"none at first":          {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(annKey)}}, Pins: pins(nil, nil)}, signers.UnknownKey, false, true},
		"taken away":             {signers.Trust{Authors: []signers.Author{{Name: "ann"}}, Pins: pins(ann, nil)}, signers.UnknownKey, false, true},
		"former":                 {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(eveKey)}}, Pins: pins(eve, ann)}, signers.Revoked, false, false},
		"endorsed":               {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(annKey)}}, Pins: pins(eve, nil), Endorsed: func() signers.Key { return eveKey }}, signers.Good, true, false},
		"endorsed by itself":     {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(annKey)}}, Pins: pins(eve, nil), Endorsed: func() signers.Key { return annKey }}, signers.UnknownKey, false, true},
		"of another":             {signers.Trust{Authors: []signers.Author{{Name: "ann", Rules: rule(eveKey)}, {Name: "eve", Rules: rule(annKey)}}, Pins: pins(eve, nil)}, signers.UnknownKey, false, false},
		"the user's goes before": {signers.Trust{Allowed: signers.ParseAllowed("ann " + string(annKey)), Authors: []signers.Author{{Name: "ann", Rules: rule(eveKey)}}, Pins: pins(eve, ann)}, signers.Good, false, false},
	} {
		f, err := c.trust.Judge("ann", annKey, func() (time.Time, error) { t.Errorf("%s: the time was asked for", name); return time.Time{}, nil })
		if err != nil || f.State != c.state || f.FirstSight != c.first || f.Changed != c.changed {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

func TestPins(t *testing.T) {
	pins, err := signers.ParsePins(nil)
	if err != nil {
		t.Fatal(err)
	}
	pins.Trust("ann", []signers.Key{annKey})
	pins.Trust("ann", []signers.Key{eveKey})
	again, err := signers.ParsePins(pins.Bytes())
	if err != nil || len(again["ann"].Former) != 1 || again["ann"].Former[0] != annKey || again["ann"].Keys[0] != eveKey {
		t.Error(again, err)
	}
	pins.Trust("ann", []signers.Key{annKey}) // and back again
	if p := pins["ann"]; len(p.Former) != 1 || p.Former[0] != eveKey {
		t.Error(p)
	}
	for _, bad := range []string{"x", "[]", `{"ann":{"keys":["x"]}}`, `{"ann":{"keys":["` + string(annKey) + ` comment"]}}`} {
		if _, err := signers.ParsePins([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
