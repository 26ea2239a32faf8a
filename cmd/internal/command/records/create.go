package records

import (
	"cmp"
	"encoding/json"
	"errors"
	"os/user"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// A creation is a run record as the flags of create say it.
type creation struct {
	*app
	cli.Fields
	projectID, agent, status, summary, intentLock string

	said             sayings  // of the lists of the record
	lowered          []string // flags of the self-audit
	who, verifyFirst []string // of each step, "" for none

	recording cli.Recording
	relating  cli.Relating
	dryRun    bool
}

func createCommand(a *app) *cobra.Command {
	c := &creation{app: a, said: sayings{}}
	cmd := &cobra.Command{
		Use: "create TASK_ID --summary TEXT",
		Long: `Store a run record: what a run did, what it validated, what stays uncertain, and where the next one
goes on. The self-audit is derived from the record; what the run leaves undone is said on standard
error and makes nothing invalid. Assumptions, context debt and next steps of earlier records of the
project stay open until a record names them, by their text or by the key that onboard shows:
--assumption 3f2a91=refuted, --resolve-debt 81b0c4, --close d5e6f7. --who and --verify-first are about the --next-step
before them.

A value may end in =STATE: tests and commands in passed, failed, skipped or unknown, assumptions in
open, promoted, refuted or carried_forward, files in added, modified, deleted or renamed.
--test-run-exec runs a command with sh, its output on standard error, and records its real result. With it
or with --work the commit that is checked out is recorded too, and each --file as it is, for handoff check.`,
		Example: `  handoff record create deploy-42 --summary 'Moved the deploy to the new runner.' --agent agent:codex --test-run-exec 'go test ./...'
  handoff create deploy-42 --summary 'The runner has no disk left.' --status paused --next-step 'Ask ops for disk' --who ann --context-debt 'Cache size is unknown'
  handoff create deploy-43 --summary 'Ops added a disk.' --close d5e6f7 --resolve-debt 81b0c4`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, ids []string) error { return c.create(ids[0]) },
	}
	c.Register(cmd)
	c.relating.Register(cmd)
	c.recording.Register(cmd, false)
	a.Gate.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&c.summary, "summary", "", "one `paragraph`: what was tried, what landed, what comes first now")
	f.StringVar(&c.agent, "agent", "", "who ran (`name`, such as agent:codex or human:ann; default the operator, else the user)")
	f.StringVar(&c.status, "status", "completed", "`how` it ended: completed, paused, failed, requires_review")
	f.StringVar(&c.projectID, "project", "", "the `project_id` (default the name of the project root)")
	f.StringVar(&c.intentLock, "intent-lock", "", "the `id` of the scope contract that the run had")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the record, store nothing and run nothing")
	for _, field := range runs.Table().Fields {
		for _, flag := range field.Flags {
			c.said.register(f, flag.Name, flag.Usage, true)
		}
	}
	cli.Texts(f, &c.lowered, "lower", "a `flag` of the self-audit to answer with no, such as receipts_reviewed")
	f.Func("who", "who should take the --next-step before it (`operator`)", c.ofStep(&c.who))
	f.Func("verify-first", "what to verify before the --next-step before it (`text`)", c.ofStep(&c.verifyFirst))
	return cmd
}

// ofStep returns how a flag about the last next step is read.
func (c *creation) ofStep(values *[]string) func(string) error {
	return func(text string) error {
		steps := len(*c.said["next-step"])
		if steps == 0 {
			return errors.New("put it after the --next-step that it is about")
		}
		for len(*values) < steps {
			*values = append(*values, "")
		}
		(*values)[steps-1] = text
		return nil
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
		if len(c.execs()) == 0 { // a command that runs again takes another time, which makes another record
			took = c.Time
		}
	}
	if err := c.relating.Apply(c.App, &c.Fields); err != nil {
		return err
	}
	return cli.SameAgain(c.finish(p, taskID), took)
}

// now is the time of the project, which a test may have set.
func now(p handoff.Project) string {
	if p.Options.Now != nil {
		return p.Options.Now().UTC().Format(time.RFC3339)
	}
	return time.Now().UTC().Format(time.RFC3339)
}

// finish seals and stores the draft. Everything is checked before the first command is run, so that no
// test is run in vain.
func (c *creation) finish(p handoff.Project, taskID string) error {
	draft, err := c.record(p, taskID)
	if err != nil {
		return err
	}
	s, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	if !c.dryRun {
		if err := s.Maintenance().Ready(); err != nil {
			return err
		}
	}
	entries, withheld, err := record.Runs(s)
	if err != nil {
		return err
	}
	for _, why := range fault.Lines(withheld, error.Error) {
		c.Note("left out, run `handoff verify`: " + why)
	}
	carried := runs.CarriedInto(entries, draft.Record)
	if err := c.fill(&draft, carried); err != nil {
		return err
	}
	made, err := c.source(draft, carried, nil).Make()
	if err != nil {
		return err
	}
	if c.dryRun {
		return c.printRecord(made)
	}
	results := draft.Record.CommandsAndValidation[len(draft.Record.CommandsAndValidation)-len(c.execs()):]
	for i, command := range c.execs() {
		if results[i], err = c.execute(command); err != nil {
			return err
		}
	}
	if err := c.recordWork(p, draft.Record); err != nil {
		return err
	}
	warn := func(text string) { c.Note("warning: " + text) }
	return c.Write([]handoff.Source{c.source(draft, carried, warn)}, false, nil)
}

// recordWork adds the commit, and the files that the run touched as they are. What was run was run on these.
func (c *creation) recordWork(p handoff.Project, r runs.Record) error {
	if !c.recording.Work && !p.Settings.RecordWork.Value && len(c.execs()) == 0 {
		return nil
	}
	c.recording.Try = true
	for _, file := range r.FilesAndArtifacts {
		if file.Kind == "file" && file.Change != "deleted" {
			c.recording.Files = append(c.recording.Files, file.Path)
		}
	}
	refs, err := c.recording.References(c.App, true)
	c.References = append(c.References, refs...)
	return err
}

// execs returns the commands that are to be run.
func (c *creation) execs() []string { return *c.said["test-run-exec"] }

func (c *creation) source(draft runs.Draft, carried runs.Carried, warn func(string)) handoff.Source {
	return record.RunSource("", draft, record.Options{
		Head:   handoff.Document(c.Fields),
		Redact: c.Gate.Redact, Allow: c.Gate.Allow, Warn: warn,
		Carried: func(runs.Record) (runs.Carried, error) { return carried, nil },
	})
}

func (c *creation) printRecord(made handoff.Made) error {
	block, err := record.Extract(handoff.Stored{Document: made.Document})
	if err != nil {
		return err
	}
	return c.Show(json.RawMessage(block.JSON), handoff.EscapeJSON(string(block.JSON)+"\n"))
}

// record turns the flags into a draft, and completes agent, recipient and project.
func (c *creation) record(p handoff.Project, taskID string) (runs.Draft, error) {
	for flag, texts := range c.said.texts() {
		if i := slices.IndexFunc(texts, func(text string) bool { return !utf8.ValidString(text) }); i >= 0 {
			return runs.Draft{}, cli.Invalid("", "--%s is not UTF-8 text", flag)
		}
	}
	me := p.Me()
	c.agent = cmp.Or(c.agent, me, c.user())
	if c.agent == "" {
		return runs.Draft{}, cli.Invalid("use --agent, such as --agent agent:codex, or set HANDOFF_OPERATOR", "it is not known who ran: this user has no name")
	}
	c.To = cmp.Or(c.To, me, record.Slug(c.agent, 64)) // the most that a name may have
	if c.projectID == "" {
		c.projectID = c.ProjectName()
	}
	r := runs.Record{TaskID: taskID, ProjectID: c.projectID, IntentLockID: c.intentLock, Agent: c.agent, Status: c.status, Summary: c.summary, CreatedAt: c.Time}
	lowered := map[string]bool{}
	for _, flag := range c.lowered {
		if known := (runs.Audit{}).Failed(); !slices.Contains(known, flag) {
			return runs.Draft{}, cli.Invalid("the flags are "+strings.Join(known, ", "), "--lower %q is not a flag of the self-audit", flag)
		}
		lowered[flag] = false
	}
	return runs.Draft{Record: r, Claimed: lowered}, nil
}

// user names the user of the system as an agent, "" for one without a name.
func (c *creation) user() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if is := c.Getenv(name); is != "" {
			return "human:" + is
		}
	}
	if is, err := user.Current(); err == nil && is.Username != "" {
		return "human:" + is.Username
	}
	return ""
}
