//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// deeds compares the audit log with what was acknowledged, and with what can follow what: nobody takes what another has,
// and nothing is done twice.
func (r *round) deeds(w *worker) {
	happened, now := make(map[deed]int), make(map[string]*standing)
	text, err := os.ReadFile(filepath.Join(r.dir, logFile))
	if err != nil {
		w.fault("%v", err)
	}
	for line := range strings.Lines(string(text)) {
		var e struct {
			Type    string `json:"event_type"`
			Payload struct {
				ID       string `json:"handoff_id"`
				Operator string `json:"operator_id"`
				Session  string `json:"session_id"`
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			continue // another event has another payload
		}
		d := deed{strings.TrimPrefix(e.Type, "handoff."), e.Payload.ID, e.Payload.Operator}
		if d.act == "sign" {
			d.operator = "ann"
		}
		happened[d]++
		if now[d.id] == nil {
			now[d.id] = new(standing)
		}
		if why := now[d.id].after(d); why != "" {
			w.fault("the log has %v, and %s", d, why)
		}
	}
	for d, n := range r.life.done {
		if d.act != "sign" && happened[d] < n || happened[d] == 0 {
			w.fault("%v is acknowledged %d times, and in the log %d times", d, n, happened[d])
		}
	}
	for _, act := range words("take release done archive unarchive") {
		for d, n := range happened {
			if d.act == act && d.operator != "dan" && n > r.life.asked[d] {
				w.fault("%v is in the log %d times, and was asked for %d times", d, n, r.life.asked[d])
			}
		}
	}
}

// A standing is how far a handoff has come.
type standing struct {
	holder         string
	isDone, isAway bool
}

// after does a deed, and says why it could not be done.
func (s *standing) after(d deed) string {
	holder, isDone, isAway := s.holder, s.isDone, s.isAway
	switch d.act {
	case "take", "resume":
		s.holder = d.operator
		if holder != "" && holder != d.operator || isDone {
			return fmt.Sprintf("it was not free: %+v, held by %s", *s, holder)
		}
	case "release":
		s.holder = ""
		if holder != d.operator || isDone {
			return "it was held by " + holder
		}
	case "done":
		s.isDone = true
		if holder != "" && holder != d.operator || isDone {
			return fmt.Sprintf("it was held by %s, or done: %v", holder, isDone)
		}
	case "archive", "unarchive":
		if s.isAway = d.act == "archive"; s.isAway == isAway {
			return fmt.Sprintf("it was archived: %v", isAway)
		}
	}
	return ""
}
