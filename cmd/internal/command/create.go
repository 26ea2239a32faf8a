package command

import (
	"cmp"
	"errors"
	"os/user"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

type createFlags struct {
	cli.Fields
	cli.Relating
	cli.Recording
	*cli.Gate
	Summary, Agent      string
	Status              string
	Project, IntentLock string
	Lower               []string // flags of the self-audit that are answered with no
	Lists               lists
}

// A creation is one run of create.
type creation struct {
	*cli.App
	*createFlags
	recipients []string // each gets the record; To is the first
}

func createCommand(a *cli.App) *cobra.Command {
	if kind := kindIn(a.Args); kind != "" {
		return createRecordCommand(a, kind)
	}
	f := &createFlags{Gate: &a.Gate}
	cmd := &cobra.Command{
		Use:   "create TASK_ID --summary TEXT | --kind packet|universal",
		Short: "Store a run record: what a run did, and what is open",
		Long: `Store a run record: what a run did, what it validated, what stays uncertain,
and what comes next. The self-audit is derived from the record. Gaps in the
record cause warnings, never an error.

Assumptions, context debt and next steps of earlier records stay open until a
record names them, by their text or by the key that onboard shows:
--assumption 3f2a91=refuted, --resolve-debt 81b0c4, --close d5e6f7. --who and
--verify-first belong to the --next-step before them.

A value can end in =STATE. Tests and commands: passed, failed, skipped or
unknown. Assumptions: open, promoted, refuted or carried_forward. Files: added,
modified, deleted or renamed.

--test-run-exec runs a command with sh, shows its output on standard error, and
records the result. With it, or with --work, the commit is recorded too, and
each --file as it is, for handoff check.`,
		Example: `  handoff create deploy --summary 'Done.' --test-run-exec 'go test ./...'
  handoff create deploy-42 --summary 'The runner has no disk left.' \
    --status paused --next-step 'Ask ops for disk' --who ann \
    --context-debt 'Cache size is unknown' --agent agent:codex
  handoff create deploy-43 --summary 'Ops added a disk.' \
    --close 0711d6 --resolve-debt 80a9f4`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return createRun(a, f, args) },
	}
	flags := cmd.Flags()
	f.Fields.Declare(flags)
	f.Relating.Declare(flags)
	f.Recording.Declare(flags)
	f.Gate.Declare(flags)
	flags.StringVar(&f.Summary, "summary", "", "one `paragraph`: what was tried, what is finished, what "+
		"comes first")
	flags.StringVar(&f.Agent, "agent", "", "who ran (`name`, such as agent:codex or human:ann; default: "+
		"the operator, or the user)")
	flags.StringVar(&f.Status, "status", "completed", "`how` the run ended: completed, paused, failed, "+
		"requires_review")
	flags.StringVar(&f.Project, "project", "", "the `project_id` (default: the name of the project root)")
	flags.StringVar(&f.IntentLock, "intent-lock", "", "the `id` of the scope contract of the run")
	flags.StringArrayVar(&f.Lower, "lower", nil, "answer no to this `flag` of the self-audit, such as "+
		"receipts_reviewed; can be repeated")
	f.Lists.declare(flags)
	return cmd
}

func createRun(a *cli.App, f *createFlags, ids []string) error {
	return (&creation{App: a, createFlags: f}).create(ids[0])
}

// The lists of a record.
type lists struct {
	said             map[string][]string // by flag
	who, verifyFirst []string            // by step, "" if not given
}

func (l *lists) declare(flags *pflag.FlagSet) {
	l.said = map[string][]string{}
	for _, field := range runs.Table().Fields {
		for _, flag := range field.Flags {
			addSaying(flags, l.said, flag.Name, flag.Usage, true)
		}
	}
	flags.Func("who", "the `operator` for the --next-step before it", l.ofStep(&l.who))
	flags.Func("verify-first", "what to verify first (`text`), for the --next-step before it",
		l.ofStep(&l.verifyFirst))
}

// ofStep returns the parser of a flag that belongs to the last next step.
func (l *lists) ofStep(values *[]string) func(string) error {
	return func(text string) error {
		steps := len(l.said["next-step"])
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
	p, err := c.App.Project()
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
	if err := c.Apply(c.App, &c.Fields); err != nil {
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
	if err := s.Maintenance().Ready(); err != nil {
		return err
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
	if _, err := c.source(c.To, draft, carried, false).Make(); err != nil {
		return err
	}
	results := draft.Record.CommandsAndValidation[len(draft.Record.CommandsAndValidation)-len(c.execs()):]
	for i, command := range c.execs() {
		if results[i], err = execute(c.App, command); err != nil {
			return err
		}
	}
	if err := c.recordWork(p, draft.Record); err != nil {
		return err
	}
	sources := make([]handoff.Source, len(c.recipients))
	for i, to := range c.recipients {
		sources[i] = c.source(to, draft, carried, i == 0) // the record is the same
	}
	return c.Write(sources)
}

// recordWork records the commit and the files of the run as they are now, after its commands.
func (c *creation) recordWork(p handoff.Project, r runs.Record) error {
	if !c.Recording.Work && !p.RecordsWork(agent.Inside(c.Getenv) != "") && len(c.execs()) == 0 {
		return nil
	}
	c.Recording.Try = true
	for _, file := range r.FilesAndArtifacts {
		if file.Kind == "file" && file.Change != "deleted" {
			c.Recording.Files = append(c.Recording.Files, file.Path)
		}
	}
	refs, err := c.Recording.References(c.App, true)
	c.Fields.References = append(c.Fields.References, refs...)
	return err
}

// execs returns the commands to run.
func (c *creation) execs() []string { return c.Lists.said["test-run-exec"] }

// source returns the source of the record for one recipient.
func (c *creation) source(to string, draft runs.Draft, carried runs.Carried, warns bool) handoff.Source {
	o := c.RecordOptions(c.Fields)
	o.Head.To, o.Carried = to, func(runs.Record) (runs.Carried, error) { return carried, nil }
	if !warns {
		o.Warn = nil
	}
	return record.RunSource(draft, o)
}

// record returns the draft that the flags describe, and fills in agent, recipient and project.
func (c *creation) record(p handoff.Project, taskID string) (runs.Draft, error) {
	for flag, texts := range c.Lists.said {
		if i := slices.IndexFunc(texts, func(text string) bool { return !utf8.ValidString(text) }); i >= 0 {
			return runs.Draft{}, cli.Invalid("", "--%s is not UTF-8 text", flag)
		}
	}
	me := p.Me()
	c.Agent = cmp.Or(c.Agent, me, c.user())
	if c.Agent == "" {
		return runs.Draft{}, cli.Invalid("use --agent, such as --agent agent:codex, or set HANDOFF_OPERATOR",
			"no agent: I don't know who ran this")
	}
	sender := record.Slug(c.Agent, 64) // the limit of an operator name
	all, err := c.Recipients(func() string { return cmp.Or(c.From, sender) }, cmp.Or(c.To, me, sender))
	if err != nil {
		return runs.Draft{}, err
	}
	c.recipients, c.To = all, all[0]
	if c.createFlags.Project == "" {
		c.createFlags.Project = c.ProjectName()
	}
	r := runs.Record{TaskID: taskID, ProjectID: c.createFlags.Project, IntentLockID: c.IntentLock, Agent: c.Agent,
		Status: c.Status, Summary: c.Summary, CreatedAt: c.Time}
	lowered := map[string]bool{}
	for _, flag := range c.Lower {
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
