package remote_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Who may fetch and push by the settings of git may sync, and a header is sent once.
func TestCredentials(t *testing.T) {
	t.Parallel()
	secret := "basic " + base64.StdEncoding.EncodeToString([]byte("ann:secret"))
	var twice, wrong atomic.Int32
	url := serve(t, hub(t, "sha1"), func(backend http.Handler, w http.ResponseWriter, r *http.Request) {
		given := r.Header.Values("Authorization")
		if len(given) > 1 {
			twice.Add(1)
		}
		if len(given) == 0 || !strings.EqualFold(given[0], secret) {
			wrong.Add(1)
			w.Header().Set("WWW-Authenticate", `Basic realm="hub"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	})
	host := strings.TrimSuffix(url, "hub.git")
	section := "[http \"" + host + "\"]\n\textraheader = AUTHORIZATION: " + secret + "\n"
	home := func(o *remote.GitOptions) string { return strings.TrimPrefix(o.Environ[1], "HOME=") }
	for name, set := range map[string]func(*remote.GitOptions){
		"checkout v4": func(o *remote.GitOptions) {
			command(t, o.Project, "config", "http."+host+".extraheader", "AUTHORIZATION: "+secret)
		},
		"checkout v6": func(o *remote.GitOptions) {
			path := filepath.Join(t.TempDir(), "git-credentials.config")
			write(t, path, section)
			command(t, o.Project, "config", "includeIf.gitdir:"+o.Project+"/.git.path", path)
		},
		"of the user": func(o *remote.GitOptions) { write(t, filepath.Join(home(o), ".gitconfig"), section) },
		"environment": func(o *remote.GitOptions) {
			o.Environ = append(o.Environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.extraheader",
				"GIT_CONFIG_VALUE_0=AUTHORIZATION: "+secret)
		},
		"local helper": func(o *remote.GitOptions) {
			command(t, o.Project, "config", "credential.helper", "!f() { echo username=ann; echo password=secret; }; f")
		},
		"store": func(o *remote.GitOptions) {
			write(t, filepath.Join(home(o), ".git-credentials"), strings.Replace(host, "://", "://ann:secret@", 1)+"\n")
			write(t, filepath.Join(home(o), ".gitconfig"), "[credential]\n\thelper = store\n")
		},
		"askpass": func(o *remote.GitOptions) {
			ask := filepath.Join(t.TempDir(), "ask")
			write(t, ask, "#!/bin/sh\ncase $1 in User*) echo ann;; *) echo secret;; esac\n")
			o.Environ = append(o.Environ, "GIT_ASKPASS="+ask)
		},
		"URL": func(o *remote.GitOptions) { o.URL = strings.Replace(url, "://", "://ann:secret@", 1) },
		"instead": func(o *remote.GitOptions) {
			command(t, o.Project, "config", "url."+strings.Replace(host, "://", "://ann:secret@", 1)+".insteadOf", host)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, url)
			set(&o)
			r := open(t, o)
			end := appended(t, r, "w-00000000000000"+hex(name), "", name)
			if got := texts(t, r, "w-00000000000000"+hex(name), ""); got != name || end == "" {
				t.Errorf("%q", got)
			}
		})
	}
	if twice.Load() > 0 || wrong.Load() == 0 {
		t.Errorf("%d headers were sent twice, %d requests had none", twice.Load(), wrong.Load())
	}
	for name, header := range map[string]string{"none": "", "wrong": "AUTHORIZATION: basic eDp5"} {
		o := options(t, strings.Replace(url, "://", "://x:hidden@", 1))
		if header == "" {
			o = options(t, url)
		} else {
			command(t, o.Project, "config", "http.extraheader", header)
		}
		r := open(t, o)
		_, err := r.Versions(t.Context())
		hasClass(t, err, fault.ErrConfig, "does not let you in")
		if strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
		_, err = r.Append(t.Context(), []remote.Addition{{Log: "t-00"}})
		hasClass(t, err, fault.ErrConfig, "does not let you in")
	}
}

// hex returns two hexadecimal digits for a name.
func hex(name string) string {
	const digits = "0123456789abcdef"
	n := 0
	for _, r := range name {
		n = n*31 + int(r)
	}
	return string(digits[n&15]) + string(digits[n>>4&15])
}

// The program that reaches a host may be set in the project, or in the environment.
func TestSSH(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	ssh := filepath.Join(t.TempDir(), "my ssh")
	write(t, ssh, "#!/bin/sh\n[ \"$1\" = hub.example ] || exit 255\neval \"$2\"\n")
	for name, set := range map[string]func(*remote.GitOptions){
		"core.sshCommand": func(o *remote.GitOptions) {
			command(t, o.Project, "config", "core.sshCommand", "'"+ssh+"'")
			command(t, o.Project, "config", "ssh.variant", "simple")
		},
		"GIT_SSH_COMMAND": func(o *remote.GitOptions) {
			o.Environ = append(o.Environ, "GIT_SSH_COMMAND='"+ssh+"'", "GIT_SSH_VARIANT=simple")
		},
		"GIT_SSH": func(o *remote.GitOptions) {
			o.Environ = append(o.Environ, "GIT_SSH="+ssh, "GIT_SSH_VARIANT=simple")
		},
		"relative": func(o *remote.GitOptions) {
			command(t, o.Project, "config", "core.sshCommand", "tools/ssh")
			command(t, o.Project, "config", "ssh.variant", "simple")
			write(t, filepath.Join(o.Project, "tools/ssh"), "#!/bin/sh\neval \"$2\"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "hub.example:"+dir)
			set(&o)
			log := "w-00000000000000" + hex(name)
			r := open(t, o)
			appended(t, r, log, "", name)
			if got := texts(t, r, log, ""); got != name {
				t.Errorf("%q", got)
			}
		})
	}
	o := options(t, "hub.example:"+dir)
	write(t, ssh, "#!/bin/sh\necho 'ann@hub.example: Permission denied (publickey).' >&2\nexit 255\n")
	o.Environ = append(o.Environ, "GIT_SSH="+ssh, "GIT_SSH_VARIANT=simple")
	_, err := open(t, o).Versions(t.Context())
	hasClass(t, err, fault.ErrConfig, "does not let you in", "Permission denied (publickey)")
}

// What points git elsewhere, traces it or adds to a push does not reach it.
func TestCallersVariables(t *testing.T) {
	t.Parallel()
	dir := hub(t, "sha1")
	o := options(t, dir)
	trace := filepath.Join(t.TempDir(), "trace")
	o.Environ = append(o.Environ, "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere", "GIT_OBJECT_DIRECTORY=/nowhere",
		"GIT_NAMESPACE=x", "GIT_TRACE="+trace, "GIT_QUARANTINE_PATH=/x", "GIT_ALLOW_PROTOCOL=none")
	write(t, filepath.Join(strings.TrimPrefix(o.Environ[1], "HOME="), ".gitconfig"), `[push]
	pushOption = x
	gpgSign = true
[core]
	hooksPath = /nowhere
[protocol]
	allow = never
`)
	r := open(t, o)
	appended(t, r, "t-00", "", "x")
	if got := texts(t, r, "t-00", ""); got != "x" {
		t.Errorf("%q", got)
	}
	if refs := command(t, dir, "for-each-ref", "--format=%(refname)"); refs != "refs/handoff/log/t-00" {
		t.Errorf("the remote has %q", refs)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("git was traced")
	}
	o.Environ = slices.Concat(o.Environ, []string{"GIT_PROTOCOL_FROM_USER=1"})
	o.URL = "ext::sh -c touch% " + trace
	if _, err := open(t, o).Versions(t.Context()); err == nil {
		t.Error("a URL was run")
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a URL was run")
	}
}
