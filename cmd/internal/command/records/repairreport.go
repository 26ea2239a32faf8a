package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A repairReport is the output of repair as JSON.
type repairReport struct {
	Name string `json:"input"`
	OK   bool   `json:"ok"`
	universal.Repair
	Patch    []universal.Change `json:"patch"`            // of all attempts
	Kept     []string           `json:"kept"`             // files with removed text
	Output   string             `json:"output"`           // "" for none
	Backup   string             `json:"backup"`           // the original, "" if it was not replaced
	Document json.RawMessage    `json:"document"`         // the repaired record if there is no output, otherwise null
	Prompt   string             `json:"prompt,omitempty"` // with --prompt, if the repair failed
}

func (r *repairing) asJSON() repairReport {
	shown := r.result
	shown.Report = boundedReport(shown.Report)
	shown.Attempts = slices.Clone(shown.Attempts)
	for i, a := range shown.Attempts {
		shown.Attempts[i].Report = boundedReport(a.Report)
	}
	return repairReport{Name: r.name, OK: r.result.OK(), Repair: shown, Patch: append([]universal.Change{},
		r.result.Patch()...),
		Kept: append([]string{}, r.kept...), Output: r.output, Backup: r.backup, Document: json.RawMessage("null")}
}

func boundedReport(r universal.Report) universal.Report {
	r.Faults, r.Warnings = fault.Bounded(r.Faults), fault.Bounded(r.Warnings)
	return r
}

func (r *repairing) report() error {
	if r.JSON {
		report := r.asJSON()
		if r.output == "" {
			report.Document = r.result.Document.Bytes()
		}
		return r.PrintJSON(report)
	}
	if !r.result.Changed {
		r.Note(r.name + " is valid; nothing to repair")
		return nil
	}
	last := r.result.Attempts[len(r.result.Attempts)-1]
	r.Note(fmt.Sprintf("repaired %s in attempt %d, %s: %s", r.name, len(r.result.Attempts), last.Name,
		handoff.Count(len(r.result.Patch()), "change")))
	for _, line := range fault.Lines(r.result.Patch(), asLine) {
		r.Note("  " + line)
	}
	for _, path := range r.kept {
		r.Note("removed text is kept in " + path)
	}
	if r.backup != "" {
		r.Note("the original is kept as " + r.backup)
	}
	for _, w := range fault.Lines(last.Report.Warnings, handoff.Fault.String) {
		r.Note("warning: " + w)
	}
	return nil
}

func asLine(c universal.Change) string {
	line, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(line)
}

// failed returns the faults that remain as an error, and prints the prompt for a model with --prompt.
func (r *repairing) failed() error {
	last := r.result.Report
	if n := len(r.result.Attempts); n > 0 {
		last = r.result.Attempts[n-1].Report
	}
	err := fault.New(fault.Class(last.Err()), "", "%s: %s", r.name, strings.TrimRight(r.result.Failure(), "\n"))
	return errors.Join(err, r.ask(r.result.Report.Faults))
}

// ask prints the prompt for a model with --prompt, and the report with --json.
func (r *repairing) ask(faults []handoff.Fault) error {
	if !r.Prompt && !r.JSON {
		return nil
	}
	report := r.asJSON()
	if r.Prompt {
		report.Prompt = universal.Prompt(r.text, faults, func(text string) string {
			framed, _ := handoff.Framed(handoff.Stored{Document: handoff.Document{Body: text}, Path: r.name},
				handoff.Frame{})
			return framed
		})
	}
	if r.JSON {
		return r.PrintJSON(report)
	}
	_, err := io.WriteString(r.Stdout, report.Prompt)
	return err
}
