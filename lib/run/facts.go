package run

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/packet"
)

// Inspect returns what a run record says about resuming, with the faults that Parse names. It fails
// only for text that is no JSON object. A record that names no project has no fault by that: whoever
// stores it adds the name.
func Inspect(data []byte) (packet.Facts, error) {
	draft, found, err := parse(data, Defaults{ProjectID: func() string { return "-" }})
	if err != nil {
		return packet.Facts{}, err
	}
	f := draft.Record.Facts()
	f.Faults, f.Texts = found, packet.Passages(data)
	return f, nil
}

// Facts returns what the record says about resuming. A run record has no resume token.
func (r Record) Facts() packet.Facts {
	f := packet.Facts{
		Kind: Kind + "/" + Version, Objective: r.Summary, Risks: r.Risks, UpdatedAt: r.CreatedAt,
		Cannot: []string{"resume_token"}, Texts: packet.Passages(r.JSON()),
	}
	for _, a := range r.CompletedActions {
		f.Completed = append(f.Completed, a.Summary)
	}
	for _, d := range r.ContextDebt {
		if d.State != "resolved" {
			f.Unresolved = append(f.Unresolved, d.Summary)
		}
	}
	for _, a := range r.Assumptions {
		if a.State != "refuted" {
			f.Assumptions = append(f.Assumptions, a.Statement)
		}
	}
	for _, file := range r.FilesAndArtifacts {
		if file.SHA256 != "" && file.Change != "deleted" {
			f.Sums = append(f.Sums, packet.FileSum{Path: file.Path, SHA256: strings.TrimPrefix(file.SHA256, "sha256:")})
		}
	}
	f.Tested = slices.ContainsFunc(r.CommandsAndValidation, func(c Command) bool { return c.Result == "passed" })
	if len(r.NextSteps) > 0 {
		f.NextAction = r.NextSteps[0].What
	}
	return f
}
