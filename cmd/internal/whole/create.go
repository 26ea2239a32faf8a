package whole

import (
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// A creation is a run record as the flags of create say it.
type creation struct {
	*app
	everyday.Fields
	projectID, agent, status, summary, intentLock string

	actions, files, commands, tests, execs       []string
	assumptions, debt, resolved, exceptions      []string
	receipts, proposals, steps, risks, notes, no []string

	dryRun bool
}

func createCommand(a *app) *cobra.Command {
	c := &creation{app: a}
	cmd := &cobra.Command{
		Use: "create TASK_ID --summary TEXT",
		Long: `Store a run record: what a run did, what it validated, what stays uncertain, and where the next one
goes on. The self-audit is derived from the record; what the run leaves undone is said on standard
error and makes nothing invalid. Assumptions and context debt of earlier records of the project stay
open until a record names them: --assumption TEXT=refuted, --resolve-debt TEXT.

A value may end in =STATE: tests and commands in passed, failed, skipped or unknown, assumptions in
open, promoted, refuted or carried_forward, files in added, modified, deleted or renamed.
--test-run-exec runs a command with sh, its output on standard error, and records its real result.`,
		Example: `  handoff create deploy-42 --summary 'Moved the deploy to the new runner.' --agent agent:codex --test-run-exec 'go test ./...'
  handoff create deploy-42 --summary 'The runner has no disk left.' --status paused --next-step 'Ask ops for disk' --context-debt 'Cache size is unknown'`,
		Args: everyday.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, ids []string) error { return c.create(ids[0]) },
	}
	c.Register(cmd)
	a.Gate.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&c.summary, "summary", "", "one `paragraph`: what was tried, what landed, what comes first now")
	f.StringVar(&c.agent, "agent", "", "who ran (`name`, such as agent:codex or human:ann; default the operator)")
	f.StringVar(&c.status, "status", "completed", "how it ended: completed, paused, failed, requires_review")
	f.StringVar(&c.projectID, "project", "", "the `project_id` (default the name of the project root)")
	f.StringVar(&c.intentLock, "intent-lock", "", "the `id` of the scope contract that the run had")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the record, store nothing and run nothing")
	for _, list := range c.lists() {
		everyday.Texts(f, list.values, list.flag, list.usage+"; may be repeated")
	}
	return cmd
}

// A listFlag is a flag that may be repeated.
type listFlag struct {
	flag   string
	values *[]string
	usage  string
}

func (c *creation) lists() []listFlag {
	return []listFlag{
		{"completed-action", &c.actions, "a finished piece of work (`text`)"},
		{"file", &c.files, "a file that the run touched (`path`)"},
		{"command", &c.commands, "a `command` that was run"},
		{"test-run", &c.tests, "a `command` that was run to validate"},
		{"test-run-exec", &c.execs, "run this `command` and record its result as a validation"},
		{"assumption", &c.assumptions, "what was taken for granted (`text`)"},
		{"context-debt", &c.debt, "what was not followed up (`text`)"},
		{"resolve-debt", &c.resolved, "context debt of an earlier record that is resolved (`text`)"},
		{"policy-exception", &c.exceptions, "a policy boundary that was met or passed (`text`)"},
		{"receipt", &c.receipts, "the `id` of a receipt"},
		{"memory-proposal", &c.proposals, "the `id` of a memory proposal"},
		{"next-step", &c.steps, "what should happen next (`text`)"},
		{"risk", &c.risks, "a risk (`text`)"},
		{"note", &c.notes, "a note of the self-audit (`text`)"},
		{"lower", &c.no, "a `flag` of the self-audit to answer with no, such as receipts_reviewed"},
	}
}

func (c *creation) create(taskID string) error {
	p, err := c.app.Project()
	if err != nil {
		return err
	}
	took := ""
	if c.Time == "" {
		c.Time = now(p)
		if len(c.execs) == 0 { // a command that runs again takes another time, which makes another record
			took = c.Time
		}
	}
	r, err := c.record(p, taskID)
	if err != nil {
		return err
	}
	return everyday.SameAgain(c.finish(p, r), took)
}

// now is the time of the project, which a test may have set.
func now(p handoff.Project) string {
	if p.Options.Now != nil {
		return p.Options.Now().UTC().Format(time.RFC3339)
	}
	return everyday.UTCNow()
}

// finish seals and stores the draft. Everything is checked before the first command is run, so that no
// test is run in vain.
func (c *creation) finish(p handoff.Project, draft runs.Draft) error {
	s, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	if !c.dryRun {
		if err := s.Ready(); err != nil {
			return err
		}
	}
	entries, withheld, err := record.Runs(s)
	if err != nil {
		return err
	}
	for _, err := range withheld {
		c.Note("left out, run `handoff verify`: " + err.Error())
	}
	carried := runs.CarriedInto(entries, draft.Record)
	made, err := c.source(draft, carried).Make()
	if err != nil {
		return err
	}
	if c.dryRun {
		return c.printRecord(made)
	}
	results := draft.Record.CommandsAndValidation[len(draft.Record.CommandsAndValidation)-len(c.execs):]
	for i, command := range c.execs {
		if results[i], err = c.execute(command); err != nil {
			return err
		}
	}
	for _, warning := range draft.Warnings(c.letThrough(draft), carried) {
		c.Note("warning: " + warning)
	}
	return c.Write([]handoff.Source{c.source(draft, carried)}, false, nil)
}

// letThrough returns the rules of --allow-secret that the draft meets.
func (c *creation) letThrough(draft runs.Draft) []string {
	var rules []string
	for _, found := range handoff.FindSecrets(string(draft.JSON())) {
		if slices.Contains(c.Gate.Allow, found.Rule) {
			rules = append(rules, found.Rule)
		}
	}
	return rules
}

func (c *creation) source(draft runs.Draft, carried runs.Carried) handoff.Source {
	return record.RunSource("", draft, record.Options{
		Head:   handoff.Document(c.Fields),
		Redact: c.Gate.Redact, Allow: c.Gate.Allow,
		Carried: func(runs.Record) ([]runs.Assumption, error) { return runs.Assumptions(carried.Assumptions), nil },
	})
}

func (c *creation) printRecord(made handoff.Made) error {
	block, err := record.Extract(handoff.Stored{Document: made.Document})
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.Stdout, handoff.EscapeJSON(string(block.JSON)+"\n"))
	return err
}

// record turns the flags into a draft, and completes agent, recipient and project.
func (c *creation) record(p handoff.Project, taskID string) (runs.Draft, error) {
	for _, list := range c.lists() {
		for _, text := range *list.values {
			if !utf8.ValidString(text) {
				return runs.Draft{}, everyday.Invalid("", "--%s is not UTF-8 text", list.flag)
			}
		}
	}
	if c.agent == "" {
		c.agent = p.Me()
	}
	if c.agent == "" {
		return runs.Draft{}, everyday.Invalid("use --agent, such as --agent agent:codex, or set HANDOFF_OPERATOR", "nobody is named who ran")
	}
	if c.To == "" {
		c.To = p.Me()
	}
	if c.To == "" {
		c.To = record.Slug(c.agent, 64) // the most that a name may have
	}
	if c.projectID == "" {
		c.projectID = c.ProjectName()
	}
	r := runs.Record{TaskID: taskID, ProjectID: c.projectID, IntentLockID: c.intentLock, Agent: c.agent, Status: c.status, Summary: c.summary,
		Receipts: c.receipts, MemoryProposals: c.proposals, Risks: c.risks, CreatedAt: c.Time}
	r.SelfAudit.Notes = c.notes
	c.fill(&r)
	lowered := map[string]bool{}
	for _, flag := range c.no {
		if known := (runs.Audit{}).Failed(); !slices.Contains(known, flag) {
			return runs.Draft{}, everyday.Invalid("the flags are "+strings.Join(known, ", "), "--lower %q is no flag of the self-audit", flag)
		}
		lowered[flag] = false
	}
	return runs.Draft{Record: r, Claimed: lowered}, nil
}

func (c *creation) fill(r *runs.Record) {
	for _, text := range c.actions {
		r.CompletedActions = append(r.CompletedActions, runs.Action{Summary: text})
	}
	for _, text := range c.files {
		path, change := cutState(text, "", "added", "modified", "deleted", "renamed")
		r.FilesAndArtifacts = append(r.FilesAndArtifacts, runs.File{Path: path, Kind: "file", Change: change})
	}
	for _, list := range []struct {
		kind   string
		values []string
	}{{"command", c.commands}, {"test", c.tests}} {
		for _, text := range list.values {
			command, result := cutState(text, "unknown", "passed", "failed", "skipped", "unknown")
			r.CommandsAndValidation = append(r.CommandsAndValidation, runs.Command{Command: command, Kind: list.kind, Result: result})
		}
	}
	for _, command := range c.execs {
		r.CommandsAndValidation = append(r.CommandsAndValidation, runs.Command{Command: command, Kind: "test", Result: "unknown"})
	}
	for _, text := range c.assumptions {
		statement, state := cutState(text, "open", "open", "promoted", "refuted", "carried_forward")
		r.Assumptions = append(r.Assumptions, runs.Assumption{Statement: statement, State: state})
	}
	for _, text := range c.debt {
		summary, state := cutState(text, "open", "open", "carried_forward", "resolved")
		r.ContextDebt = append(r.ContextDebt, runs.Debt{Summary: summary, State: state})
	}
	for _, text := range c.resolved {
		r.ContextDebt = append(r.ContextDebt, runs.Debt{Summary: text, State: "resolved"})
	}
	for _, text := range c.exceptions {
		r.PolicyExceptions = append(r.PolicyExceptions, runs.Exception{Summary: text})
	}
	for _, text := range c.steps {
		r.NextSteps = append(r.NextSteps, runs.Step{What: text})
	}
}

// cutState cuts =STATE off the end of a text, if it is one of the states.
func cutState(text, otherwise string, states ...string) (rest, state string) {
	if at := strings.LastIndexByte(text, '='); at > 0 && slices.Contains(states, text[at+1:]) {
		return text[:at], text[at+1:]
	}
	return text, otherwise
}
