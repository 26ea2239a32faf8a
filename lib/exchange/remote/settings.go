package remote

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// A setting is one value of git's configuration, in the order of git's files.
type setting struct{ scope, key, value string }

// Settings are those that git has in a project.
type settings struct {
	top   string // where git runs: relative paths start here
	all   []setting
	first map[string]string // the first value of each key
}

// settingsOf reads the settings in a project. The error is fault.ErrConfig.
func settingsOf(project string, environ []string) (s settings, err error) {
	top := git.Top(project)
	s.top = cmp.Or(top, project)
	call := git.Call{Dir: s.top, Environ: environ,
		Args: []string{"config", "--list", "-z", "--includes", "--show-scope"}}
	out, err := call.Run(context.Background())
	if err != nil {
		return s, unusable(err)
	}
	s.first = make(map[string]string)
	isLocal := false
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 2; fields = fields[2:] {
		key, value, hasValue := strings.Cut(fields[1], "\n")
		if !hasValue {
			value = "true"
		}
		s.all = append(s.all, setting{fields[0], key, value})
		s.first[key] = cmp.Or(s.first[key], value)
		isLocal = isLocal || fields[0] == "local"
	}
	if top != "" && !isLocal { // git passes over the settings of somebody else's repository
		call.Args = []string{"rev-parse", "--git-dir"}
		if _, err = call.Run(context.Background()); err != nil {
			return s, unusable(err)
		}
	}
	return s, nil
}

// isPath reports whether the URL of a remote is a path (git-fetch(1), "GIT URLS").
func isPath(url string) bool {
	colon, slash := strings.IndexByte(url, ':'), strings.IndexByte(url, '/')
	return url != "" && (colon < 0 || slash >= 0 && slash < colon)
}

// urlOf returns the URL of the remote with a name.
func (s settings) urlOf(name string) (url string, err error) {
	if url = s.absolute(s.first["remote."+name+".url"]); url == "" {
		err = fault.Config("run `git remote add "+name+" URL`, or name another one: `handoff sync --remote NAME`",
			"git has no remote %q here", name)
	}
	return url, err
}

// absolute returns the URL of a remote; a path is made absolute.
func (s settings) absolute(url string) string {
	if isPath(url) && !filepath.IsAbs(url) {
		return filepath.Join(s.top, url)
	}
	return url
}

// own is the name of the remote in the settings of our calls.
const own = "handoff"

// forRemote returns the settings for calls to the remote at url, as an environment.
func (s settings) forRemote(url string) []string {
	var all []setting
	remote := ""
	for _, v := range s.all {
		section, _, _ := strings.Cut(v.key, ".")
		switch {
		case slices.Contains(speaking, section), slices.Contains(speaking, v.key):
			all = append(all, v)
		case section == "remote" && strings.HasSuffix(v.key, ".url") && remote == "" && s.absolute(v.value) == url:
			remote = strings.TrimSuffix(v.key, "url")
		}
	}
	all = append(all, setting{key: "remote." + own + ".url", value: url})
	for _, what := range []string{"pushurl", "proxy"} {
		if value := s.first[remote+what]; value != "" {
			all = append(all, setting{key: "remote." + own + "." + what, value: value})
		}
	}
	env := []string{fmt.Sprint("GIT_CONFIG_COUNT=", len(all))}
	for i, v := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, v.key),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, v.value))
	}
	return env
}

// speaking are the sections and keys that speak to remotes.
var speaking = []string{"http", "credential", "url", "ssh", "core.sshcommand", "core.askpass"}

// trusted returns the repositories that the user trusts, as a file of settings. A local remote is told nothing else.
func (s settings) trusted() string {
	text := "[safe]\n"
	for _, v := range s.all {
		if v.key == "safe.directory" && v.scope != "local" && v.scope != "worktree" {
			text += "\tdirectory = \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(v.value) + "\"\n"
		}
	}
	return text
}
