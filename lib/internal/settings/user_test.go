package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

func loadUser(t *testing.T, text string) (settings.User, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "handoff"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "handoff", settings.UserName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return settings.LoadUser(func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": dir, "AppData": dir, "HOME": dir}[name]
	})
}

func TestRemotes(t *testing.T) {
	t.Parallel()
	if filepath.Base(settings.UserDir(func(string) string { return "/" })) != "handoff" {
		t.Skip("the directory is elsewhere on this system")
	}
	u, err := loadUser(t, `operator: ann
remotes:
  farm: {url: "s3://handoffs/team", endpoint: "https://store.example.com:9000", region: eu-north-1}
  aws:
    url: s3://handoffs
    profile: work
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*settings.Remote{
		"farm": {URL: inFile("s3://handoffs/team"), Endpoint: inFile("https://store.example.com:9000"),
			Region: inFile("eu-north-1"), Profile: byDefault("")},
		"aws": {URL: inFile("s3://handoffs"), Endpoint: byDefault(""), Region: byDefault(""), Profile: inFile("work")},
	}
	if diff := cmp.Diff(want, u.Remotes); diff != "" {
		t.Error(diff)
	}
}

func TestRemotesRefuse(t *testing.T) {
	t.Parallel()
	const lines = `remotes must be lines such as farm: {url: "s3://bucket/prefix"}`
	for _, c := range []struct{ text, want string }{
		{"remotes: s3://x/y\n", ":1: " + lines},
		{"remotes: [a]\n", ":1: " + lines},
		{"sign: true\nremotes:\n", ":2: " + lines},
		{"remotes: {a b: {url: \"s3://x\"}}\n", ":1: " + lines},
		{"remotes:\n  farm: s3://x\n", ":2: " + lines},
		{"remotes:\n  farm: {}\n", ":2: the remote farm needs url"},
		{"remotes:\n  farm: {region: x}\n  b:\n    region: y\n", ":3: the remote b needs url"},
		{"remotes:\n  farm:\n    url: s3://x\n    acess_key: sesame\n", `:4: unknown key "acess_key"; remove the line`},
		{"remotes:\n  farm:\n    ur: s3://x\n", `:3: unknown key "ur"; did you mean url?`},
		{"remotes:\n  farm: {url: \"https://sesame\"}\n", ":2: url must be s3://bucket/prefix"},
		{"remotes:\n  farm: {url: \"s3://ann:sesame@x\"}\n", ":2: url must be s3://bucket/prefix"},
		{"remotes:\n  farm:\n    url: s3://x\n    endpoint: https://ann:sesame@host\n", ":4: endpoint must be https://host, without credentials"},
		{"remotes:\n  farm:\n    url: s3://x\n    endpoint: https://host/?key=sesame\n", ":4: endpoint must be https://host"},
		{"remotes:\n  farm:\n    url: s3://x\n    sign: yes\n", ":4: unknown key \"sign\""},
		{"remotes:\n  farm:\n    url: s3://x\n    region: 12\n", ":4: region must be the name of a region"},
		{"remotes:\n  farm:\n    url: s3://x\n  farm:\n    url: s3://y\n", `:4: the key "farm" is given twice`},
	} {
		_, err := loadUser(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// A project may come with a clone: it can name a remote, and cannot say where one is.
func TestProjectHasNoRemotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"remote: s3://x/y\n":            "x:1: remote must be the name of a remote",
		"\nremote: https://host/x\n":    "x:2: remote must be the name of a remote",
		"\nremote: {url: \"s3://x\"}\n": "x:2: remote must be the name of a remote",
		"\nremotes:\n  farm: {url: \"s3://x\"}\n": "x:2: remotes must be in your own configuration: " +
			"a project can only name a remote; remove the lines",
	} {
		if _, err := settings.Parse([]byte(text), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
