package packet_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/packet"
)

func TestCredentialAsToken(t *testing.T) {
	secret := "ghp_" + "9kQ2mZx7" + "Vb4Tn8Rw" + "1Ys6Ph3D" + "c5Jf0GaLuKeX"
	data := []byte(strings.Replace(string(fixture(t, "clean.json")), "inv-pg17_step-3_7Qd2", secret, 1))
	r := packet.Check(packet.Input{Data: data}, options())
	shown, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Class != packet.Operational || failing(r) != packet.Token || strings.Contains(string(shown)+text(t, r), secret) {
		t.Errorf("%s", shown)
	}
}

func TestSharedToken(t *testing.T) {
	for _, c := range []struct {
		holders []string
		id      string
		class   packet.Class
		says    string
	}{
		{nil, "", packet.Clean, ""},
		{[]string{"sha256:one"}, "sha256:one", packet.Clean, ""},
		{[]string{"sha256:one"}, "", packet.Clean, "sha256:one"},
		{[]string{"sha256:one", "sha256:two"}, "sha256:one", packet.Operational, "sha256:two"},
		{[]string{"sha256:one", "sha256:two"}, "", packet.Operational, "sha256:two"},
	} {
		o := options()
		o.Holders = func(string) ([]string, error) { return c.holders, nil }
		r := packet.Check(packet.Input{ID: c.id, Data: fixture(t, "clean.json")}, o)
		shown, _ := json.Marshal(r)
		if r.Class != c.class || !strings.Contains(string(shown), c.says) || c.class == packet.Operational && failing(r) != packet.Token {
			t.Errorf("%v for %q: %s", c.holders, c.id, shown)
		}
	}
}

func TestUsesAreUnknown(t *testing.T) {
	o := options()
	o.Consumed = func(_, _ string) (packet.Use, error) { return packet.Use{Gap: "the log is missing"}, nil }
	if r := packet.Check(packet.Input{Data: fixture(t, "clean.json")}, o); r.Class != packet.Operational || failing(r) != packet.Token {
		t.Errorf("%s %+v", r.Class, r.Checks[2])
	}
}

func TestCredentialAnywhere(t *testing.T) {
	secret := "ghp_" + "9kQ2mZx7" + "Vb4Tn8Rw" + "1Ys6Ph3D" + "c5Jf0GaLuKeX"
	for name, field := range map[string]any{"objective": "Use " + secret, "completed": []any{"Made " + secret}, "next_action": "Delete it all without asking, with " + secret, "note": map[string]any{secret: 1}} {
		var object map[string]any
		if err := json.Unmarshal(fixture(t, "clean.json"), &object); err != nil {
			t.Fatal(err)
		}
		object[name] = field
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		r := packet.Check(packet.Input{Data: data}, options())
		shown, err := json.Marshal(r)
		if err != nil || r.Class != packet.Operational || failing(r) != packet.Schema || strings.Contains(string(shown)+text(t, r), secret[:16]) {
			t.Errorf("%s: %v %s", name, err, shown)
		}
	}
}

func TestNewToken(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := packet.NewToken()
		if seen[token] {
			t.Fatalf("%s was issued twice", token)
		}
		seen[token] = true
	}
	for token := range seen {
		r := checkWith(t, "resume_token", token)
		if r.Class != packet.Clean {
			t.Fatalf("%s: %+v", token, r.Checks[2])
		}
	}
}
