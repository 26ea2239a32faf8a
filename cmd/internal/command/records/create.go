package records

import (
	"cmp"
	"encoding/json"
	"errors"
	"os/user"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// A creation holds the flags of create.
type creation struct {
	*app
	cli.Fields
	projectID, agent, status, summary, intentLock string

	said             sayings  // for the lists of the record
	lowered          []string // flags of the self-audit that are answered with no
	who, verifyFirst []string // by step, "" if not given

	recording  cli.Recording
	relating   cli.Relating
	dryRun     bool
	recipients []string // each gets the record; To is the first
}

func createCommand(a *app) *cobra.Command {
	c := &creation{app: a, said: sayings{}}
	cmd := &cobra.Command{
		Use: "create TASK_ID --summary TEXT",
		Long: `Store a run record: what a run did, what it validated, what stays uncertain,
and what comes next. The self-audit is derived from the record. Gaps in the
record cause warnings, never an error.

Assumptions, context debt and next steps of earlier records stay open until a
record names them, by their text or by the key that record onboard shows:
--assumption 3f2a91=refuted, --resolve-debt 81b0c4, --close d5e6f7. --who and
--verify-first belong to the --next-step before them.

A value can end in =STATE. Tests and commands: passed, failed, skipped or
unknown. Assumptions: open, promoted, refuted or carried_forward. Files: added,
modified, deleted or renamed.

--test-run-exec runs a command with sh, shows its output on standard error, and
records the result. With it, or with --work, the commit is recorded too, and
each --file as it is, for handoff check.`,
		Example: "  handoff record create deploy-42 --summary 'Moved the deploy to the new runner.' " +
			"--agent agent:codex --test-run-exec 'go test ./...'\n" +
			"  handoff record create deploy-42 --summary 'The runner has no disk left.' --status paused " +
			"--next-step 'Ask ops for disk' --who ann --context-debt 'Cache size is unknown'\n" +
			"  handoff record create deploy-43 --summary 'Ops added a disk.' --close 0711d6 --resolve-debt 80a9f4",
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, ids []string) error { return c.create(ids[0]) },
	}
	c.Register(cmd)
	c.relating.Register(cmd)
	c.recording.Register(cmd, false)
	a.Gate.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&c.summary, "summary", "", "one `paragraph`: what was tried, what is finished, what comes first")
	f.StringVar(&c.agent, "agent", "",
		"who ran (`name`, such as agent:codex or human:ann; default: the operator, or the user)")
	f.StringVar(&c.status, "status", "completed", "`how` the run ended: completed, paused, failed, requires_review")
	f.StringVar(&c.projectID, "project", "", "the `project_id` (default: the name of the project root)")
	f.StringVar(&c.intentLock, "intent-lock", "", "the `id` of the scope contract of the run")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the record, store nothing and run nothing")
	for _, field := range runs.Table().Fields {
		for _, flag := range field.Flags {
			c.said.register(f, flag.Name, flag.Usage, true)
		}
	}
	cli.Texts(f, &c.lowered, "lower", "answer no to this `flag` of the self-audit, such as receipts_reviewed")
	f.Func("who", "the `operator` for the --next-step before it", c.ofStep(&c.who))
	f.Func("verify-first", "what to verify first (`text`), for the --next-step before it", c.ofStep(&c.verifyFirst))
	return cmd
}

// ofStep returns the parser of a flag that belongs to the last next step.
func (c *creation) ofStep(values *[]string) func(string) error {
	return func(text string) error {
		steps := len(*c.said["next-step"])
		if steps == 0 {
			return errors.New("must follow the --next-step that it belongs to")
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
		c.Time = c.UTCNow()
		if len(c.execs()) == 0 { // running the commands again takes another time, which changes the record
			took = c.Time
		}
	}
	if err := c.relating.Apply(c.App, &c.Fields); err != nil {
		return err
	}
	return cli.SameAgain(c.finish(p, taskID), took)
}

// finish completes and stores the record. It checks everything before it runs the first command.
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
	sources := make([]handoff.Source, len(c.recipients))
	for i, to := range c.recipients {
		one := *c
		one.To = to
		sources[i] = one.source(draft, carried, warn)
		warn = nil // the record is the same
	}
	return c.Write(sources, false, nil)
}

// recordWork records the commit and the files of the run as they are now, after its commands.
func (c *creation) recordWork(p handoff.Project, r runs.Record) error {
	if !c.recording.Work && !p.RecordsWork(agent.Inside(c.Getenv) != "") && len(c.execs()) == 0 {
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

// execs returns the commands to run.
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

// record returns the draft that the flags describe, and fills in agent, recipient and project.
func (c *creation) record(p handoff.Project, taskID string) (runs.Draft, error) {
	for flag, texts := range c.said.texts() {
		if i := slices.IndexFunc(texts, func(text string) bool { return !utf8.ValidString(text) }); i >= 0 {
			return runs.Draft{}, cli.Invalid("", "--%s is not UTF-8 text", flag)
		}
	}
	me := p.Me()
	c.agent = cmp.Or(c.agent, me, c.user())
	if c.agent == "" {
		return runs.Draft{}, cli.Invalid("use --agent, such as --agent agent:codex, or set HANDOFF_OPERATOR",
			"no agent: I don't know who ran this")
	}
	sender := record.Slug(c.agent, 64) // the limit of an operator name
	all, err := c.Recipients(func() string { return cmp.Or(c.From, sender) }, cmp.Or(c.To, me, sender))
	if err != nil {
		return runs.Draft{}, err
	}
	c.recipients, c.To = all, all[0]
	if c.projectID == "" {
		c.projectID = c.ProjectName()
	}
	r := runs.Record{TaskID: taskID, ProjectID: c.projectID, IntentLockID: c.intentLock, Agent: c.agent,
		Status: c.status, Summary: c.summary, CreatedAt: c.Time}
	lowered := map[string]bool{}
	for _, flag := range c.lowered {
		if known := (runs.Audit{}).Failed(); !slices.Contains(known, flag) {
			return runs.Draft{}, cli.Invalid("use one of "+strings.Join(known, ", "),
				"--lower: the self-audit has no flag %q", flag)
		}
		lowered[flag] = false
	}
	return runs.Draft{Record: r, Claimed: lowered}, nil
}

// user returns the user of the system as an agent, "" if the user has no name.
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
