package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// A shape is what an agent was seen to say to the hook of a starting session, and what it took from it for its model.
type shape struct {
	Agent   string  `json:"agent"`
	Version string  `json:"version"`
	Role    string  `json:"role"` // in which the text reached the model
	Starts  []start `json:"starts"`
}

type start struct {
	Stdin      map[string]any `json:"stdin"`
	ForkedFrom string         `json:"forked_from,omitempty"` // as the transcript says
	Stdout     any            `json:"stdout"`                // "TEXT" stands for the text; null is silence
}

const recorder = `#!/bin/sh
if [ "$1 $2" = "hook session-start" ]; then
  n=%[1]s/$(ls %[1]s | wc -l)
  cat >"$n.in"
  %[2]s "$@" <"$n.in" | tee "$n.out"
  exit 0
fi
exec %[2]s "$@"
`

// What the agents say and take is what the ordinary tests hold the hook to.
func TestAgentsShapes(t *testing.T) {
	each(t, func(d *desk, a coder) {
		d.write("rec/handoff", fmt.Sprintf(recorder, d.home+"/seen", bin+"/handoff"))
		d.sh("mkdir ../seen && chmod 755 ../rec/handoff")
		d.path = d.home + "/rec:" + d.path
		a.plugin(d)
		d.model.reset()
		d.agent(a.turn("begin")...)
		s := shape{Agent: a.name, Version: strings.TrimSpace(d.agent(a.program, "--version")), Role: d.model.sees(d.id, "").role}
		d.agent(a.resume("go on")...)
		d.sh("rm -rf .run/drafts") // else the next one hears of what was left
		if a.fork != nil {
			d.agent(a.fork(d)...)
		}
		if a.compact != nil {
			a.compact(d)
		}
		s.Version = regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(s.Version)
		s.Starts = d.starts()
		got, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			d.Fatal(err)
		}
		path := filepath.Join("shapes", a.name+".json")
		if *update {
			if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
				d.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if version := regexp.MustCompile(`"version": ".*"`); err != nil || version.ReplaceAllString(string(want), "") != version.ReplaceAllString(string(got)+"\n", "") {
			d.Errorf("the shapes of %s are others now (%v); run with -update\n%s", a.name, err, got)
		}
	})
}

// starts returns what was recorded, without what differs from run to run.
func (d *desk) starts() (all []start) {
	files, _ := filepath.Glob(filepath.Join(d.home, "seen/*.in")) // a good pattern
	sort.Slice(files, func(i, j int) bool {
		return len(files[i]) < len(files[j]) || len(files[i]) == len(files[j]) && files[i] < files[j]
	})
	sessions := make(map[string]string)
	known := func(id string) string {
		if sessions[id] == "" {
			sessions[id] = fmt.Sprintf("session-%d", len(sessions)+1)
		}
		return sessions[id]
	}
	for _, file := range files {
		var s start
		in, out := d.seen(file), d.seen(strings.TrimSuffix(file, ".in")+".out")
		s.Stdin, _ = in.(map[string]any)
		transcript, _ := s.Stdin["transcript_path"].(string)
		for key, v := range s.Stdin {
			switch text, isText := v.(string); {
			case strings.EqualFold(strings.ReplaceAll(key, "_", ""), "sessionid"):
				s.Stdin[key] = known(text)
			case key == "cwd":
				s.Stdin[key] = "CWD"
			case key == "transcript_path" && text != "":
				s.Stdin[key] = "TRANSCRIPT"
			case isText && (key == "source" || key == "hook_event_name"):
			case isText:
				s.Stdin[key] = "TEXT"
			case v != nil:
				s.Stdin[key] = 0
			}
		}
		if s.Stdin["source"] == "fork" {
			head, _ := os.ReadFile(transcript)
			if found := regexp.MustCompile(`"forked_from_id":"([^"]*)"`).FindSubmatch(head); found != nil {
				s.ForkedFrom = known(string(found[1]))
			}
		}
		s.Stdout = plain(out)
		all = append(all, s)
	}
	return all
}

func (d *desk) seen(path string) (v any) {
	text, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	_ = json.Unmarshal(text, &v)
	return v
}

// plain puts TEXT in the place of the text for the model.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = plain(inner)
		}
	case string:
		if strings.Contains(v, "unread handoff") {
			return "TEXT"
		}
	}
	return v
}
