package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	Stdin  map[string]any `json:"stdin"`
	Stdout any            `json:"stdout"` // "TEXT" stands for the text; null is silence
}

// What the agents say and take is what the ordinary tests hold the hook to.
func TestAgentsShapes(t *testing.T) {
	each(t, func(d *desk, a coder) {
		d.sh("handoff install " + a.name + " --operator ben")
		d.wrap(a, "")
		d.model.reset()
		d.agent(a.turn("begin")...)
		s := shape{Agent: a.name, Version: strings.TrimSpace(d.agent(a.program, "--version")), Role: d.model.sees(d.id, "").role}
		d.agent(a.resume("go on")...)
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
	sessions := make(map[string]string)
	known := func(id string) string {
		if sessions[id] == "" {
			sessions[id] = fmt.Sprintf("session-%d", len(sessions)+1)
		}
		return sessions[id]
	}
	for _, r := range d.records() {
		if r.Args[1] != "session-start" {
			continue
		}
		var s start
		_ = json.Unmarshal([]byte(r.Stdin), &s.Stdin)
		_ = json.Unmarshal([]byte(r.Stdout), &s.Stdout)
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
		s.Stdout = plain(s.Stdout)
		all = append(all, s)
	}
	return all
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
