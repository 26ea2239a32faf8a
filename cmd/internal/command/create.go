package command

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

type createFlags struct {
	cli.Fields
	cli.Relating
	cli.Recording
	*cli.Gate
	Kind, After string
	AllowEmpty  []string
	Close       []string
	Lower       []string // questions of the self-audit that are answered with no
}

// A creation is one run of create.
type creation struct {
	*cli.App
	*createFlags
	kind   *kinds.Kind
	values []kinds.Value // of the flags of the kind, in their order
	after  *kinds.Tree   // the record that it follows, nil for none
}

func createCommand(a *cli.App) *cobra.Command {
	f := &createFlags{Gate: &a.Gate, Kind: kinds.Run}
	c := &creation{App: a, createFlags: f}
	cmd := &cobra.Command{
		Use:   "create TASK --summary TEXT | create --kind KIND",
		Short: "Store a record of flags: a run, packet or universal one",
		Long: `Store a record made of flags. Without --kind it is a run record: what a run did,
what it validated, what stays uncertain, what comes next. Its self-audit is
derived; gaps cause warnings, never an error. A packet gets a new resume token.
A universal handoff gets its chain, token count and hash.

A value can end in =STATE. Tests and commands: passed, failed, skipped, unknown.
Assumptions: open, promoted, refuted, carried_forward. An item that is open has
a key, which onboard shows: --close KEY, --assumption KEY=refuted.

--after ID makes the record that follows: the next hop, or the same packet with
a new token and time, which replaces ID. handoff help kinds lists all flags.`,
		Example: `  handoff create deploy --summary 'Done.' --test-run-exec 'go test ./...'
  handoff create --kind packet --after 134327a8
  handoff create --kind universal --to report-writer --workflow wf-17 \
    --phase reading --summary 'Forty interviews are read and coded.'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.create(args) },
	}
	flags := cmd.Flags()
	f.Fields.Declare(flags)
	f.Relating.Declare(flags)
	f.Recording.Declare(flags)
	f.Gate.Declare(flags)
	flags.VisitAll(func(flag *pflag.Flag) { flag.Hidden = flag.Name != "to" })
	flags.Var(cli.Choice(&f.Kind, kinds.Names()...), "kind", "the `kind` of the record: packet, universal or run")
	c.declare(flags, kindIn(a.Args))
	return cmd
}

// kindIn returns the kind that the arguments name, or run.
func kindIn(args []string) string {
	for i, arg := range args {
		if name, is := strings.CutPrefix(arg, "--kind="); is {
			return name
		} else if arg == "--kind" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return kinds.Run
}

// declare adds the flags of one kind: a command line can use only those.
func (c *creation) declare(flags *pflag.FlagSet, name string) {
	k, err := kinds.Of(name)
	if err != nil {
		k, _ = kinds.Of(kinds.Run) // the value of --kind is refused
	}
	c.kind = k
	for _, flag := range k.Flags() {
		usage := flag.Usage
		if flag.List {
			usage += "; can be repeated"
		}
		flags.Func(flag.Name, usage, func(text string) (err error) {
			if flag.Absolute {
				text, err = filepath.Abs(text)
				text = filepath.ToSlash(text)
			} else if flag.File {
				var content []byte
				content, err = cli.ReadInput(text)
				text = string(content)
			}
			c.values = append(c.values, kinds.Value{Flag: flag.Name, Text: text})
			return err
		})
		flags.Lookup(flag.Name).Hidden = flag.Rare
	}
	switch k.Name {
	case kinds.Run:
		flags.StringArrayVar(&c.Close, "close", nil, "close this open item, by its `key`; can be repeated")
		flags.StringArrayVar(&c.Lower, "lower", nil, "answer no to this `question` of the self-audit; can be repeated")
		flags.Lookup("lower").Hidden = true
		return
	case kinds.Packet:
		flags.StringArrayVar(&c.AllowEmpty, "allow-empty", nil, "accept this empty `field`; can be repeated")
	}
	flags.StringVar(&c.After, "after", "", "the `handoff` whose record this one follows")
}

func (c *creation) create(args []string) error {
	isRun := c.kind.Name == kinds.Run
	switch {
	case isRun && len(args) == 1 && strings.HasSuffix(args[0], ".md"):
		return cli.Invalid("to store a file: `handoff write "+args[0]+" --to NAME`", "%q is a file, not a task",
			args[0])
	case isRun != (len(args) == 1):
		return cli.Invalid("handoff create TASK --summary TEXT, or handoff create --kind packet",
			"a run record needs a task, and no other record has one")
	}
	p, err := c.Project()
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
	if c.After != "" {
		err = c.follow()
	}
	if err = cmp.Or(err, c.Apply(c.App, &c.Fields), kinds.CheckAllowEmpty(c.AllowEmpty)); err != nil {
		return err
	}
	if isRun {
		c.values = append(c.values, kinds.Value{Path: "/task_id", Text: args[0]})
		if err := c.name(args[0]); err != nil {
			return err
		}
	}
	return cli.SameAgain(c.finish(p), took)
}

// execs returns the indices of the values that are commands to run.
func (c *creation) execs() (all []int) {
	for i, v := range c.values {
		if v.Flag == "test-run-exec" {
			all = append(all, i)
		}
	}
	return all
}

// finish completes and stores the record. It checks everything before it runs the first command.
func (c *creation) finish(p handoff.Project) error {
	s, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	if err := s.Maintenance().Ready(); err != nil {
		return err
	}
	all, err := c.Recipients(func() string { return cmp.Or(c.From, p.Me()) }, c.To)
	if err != nil {
		return err
	}
	if _, err := c.source(all[0], false).Make(); err != nil {
		return err
	}
	for _, i := range c.execs() {
		if err := c.execute(i); err != nil {
			return err
		}
	}
	if err := c.recordWork(p); err != nil {
		return err
	}
	sources := make([]handoff.Source, len(all))
	for i, to := range all {
		sources[i] = c.source(to, i == 0) // the record is the same
	}
	return c.Write(sources)
}

// source returns the source of the record for one recipient.
func (c *creation) source(to string, warns bool) handoff.Source {
	o := c.RecordOptions(c.Fields, c.Time)
	if user := cmp.Or(c.Getenv("USER"), c.Getenv("LOGNAME"), c.Getenv("USERNAME")); o.Me == "" && user != "" {
		o.Me, o.Head.From = "human:"+user, cmp.Or(c.From, handoff.TopicFrom(user))
	}
	o.From, o.To, o.Head.To, o.AllowEmpty = cmp.Or(c.From, o.Me), to, to, c.AllowEmpty
	if !warns {
		o.Warn = nil
	}
	return o.Source("", func(g kinds.Given) (kinds.Record, error) { return c.kind.Make(c.values, c.after, g) })
}

// follow reads the record that this one follows.
func (c *creation) follow() error {
	s, err := c.Store()
	if err != nil {
		return err
	}
	got, err := s.Read(c.After)
	if err != nil {
		return err
	}
	r, is := kinds.Extract(got.Body)
	if !is || r.Name != c.kind.Name {
		return cli.Invalid("name a "+c.kind.Name+" record", "%s carries no %s record", cli.Short(got.Entry.ID,
			cli.Shortest), c.kind.Name)
	}
	if c.after = r.Root; c.kind.Name == kinds.Packet {
		c.Supersedes = append(c.Supersedes, got.Entry.ID)
	} else {
		c.Re = append(c.Re, got.Entry.ID)
	}
	if p, err := c.Project(); err == nil && c.To == "" && c.kind.Name == kinds.Packet && got.Entry.To != p.Me() {
		c.To = got.Entry.To
	}
	return nil
}

// name replaces the keys of open items by their texts, and notes what looks like a key or a state and is none.
func (c *creation) name(task string) error {
	for _, question := range c.Lower {
		c.values = append(c.values, kinds.Value{Path: "/self_audit/" + question, No: true})
	}
	open := c.open(task)
	for _, key := range c.Close {
		i := slices.IndexFunc(open, func(o kinds.Open) bool { return o.Key == key || o.Key == kinds.Key(key) })
		if i < 0 {
			return noSuchKey("close", key, len(open))
		}
		closing := open[i].Closing()
		c.Note(fmt.Sprintf("--close %s: %s", key, closing.Text))
		c.values = append(c.values, closing)
	}
	flags := c.kind.Flags()
	for i, v := range c.values {
		at := slices.IndexFunc(flags, func(f kinds.Flag) bool { return f.Name == v.Flag })
		if at < 0 || flags[at].States == nil {
			continue
		}
		text, state, word := flags[at].Cut(v.Text)
		if word != "" {
			c.Note(fmt.Sprintf("--%s: %q is not a state (%s), so it is part of the text", v.Flag, word,
				strings.Join(flags[at].States, ", ")))
		}
		if key, _, _ := strings.Cut(text, "="); !flags[at].Key || !isKey(key) {
			continue
		} else if state == "" {
			return cli.Invalid("add one of "+strings.Join(flags[at].States, ", "),
				"--%s %s: the key of an open item needs =STATE",
				v.Flag, v.Text)
		}
		is := func(o kinds.Open) bool { return o.Key == text && "/"+o.List == flags[at].Path }
		found := slices.IndexFunc(open, is)
		if found < 0 {
			return noSuchKey(v.Flag, text, len(open))
		}
		c.Note(fmt.Sprintf("--%s %s is %q", v.Flag, text, open[found].Text))
		c.values[i].Text = open[found].Text + "=" + state
	}
	return nil
}

func noSuchKey(flag, key string, n int) error {
	return cli.Invalid("run `handoff onboard --markdown` to see their keys",
		"--%s %s: none of the %d open items has this key",
		flag, key, n)
}

// isKey reports whether a text looks like the key of an open item.
func isKey(text string) bool { return len(text) == 6 && strings.Trim(text, "0123456789abcdef") == "" }

// open returns the open items of the project.
func (c *creation) open(task string) []kinds.Open {
	_, s, err := c.NewStore()
	if err != nil {
		return nil // storing returns the error
	}
	entries, withheld, _ := s.Records().Runs()
	for _, why := range fault.Lines(withheld, error.Error) {
		c.Note("left out, run `handoff verify`: " + why)
	}
	project := c.RecordOptions(c.Fields, c.Time).Project
	for _, v := range c.values {
		if v.Flag == "project" {
			project = v.Text
		}
	}
	return kinds.Carry(kinds.Before(entries, project, task, c.Time)) // the same again closes the same
}

// execute runs the command of a value with sh, its output on standard error, and replaces the value by the result.
func (c *creation) execute(i int) error {
	command := c.values[i].Text
	c.Note("running: " + command)
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdout, cmd.Stderr = c.Stderr, c.Stderr
	began := time.Now()
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("cannot run %q; nothing stored: %w", command, err)
	}
	c.values[i] = kinds.Executed(command, cmd.ProcessState.ExitCode(), time.Since(began), cmd.ProcessState.String())
	return nil
}

// recordWork records the commit and the files of a run as they are now, after its commands.
func (c *creation) recordWork(p handoff.Project) error {
	if c.kind.Name != kinds.Run && !c.Recording.Work {
		return nil
	}
	if !c.Recording.Work && !p.RecordsWork(agent.Inside(c.Getenv) != "") && !slices.ContainsFunc(c.values,
		kinds.Value.IsExecuted) {
		return nil
	}
	c.Recording.Try = true
	for _, v := range c.values {
		if flag, state, _ := strings.Cut(v.Text, "="); v.Flag == "file" && state != "deleted" {
			c.Recording.Files = append(c.Recording.Files, flag)
		}
	}
	refs, err := c.Recording.References(c.App, true)
	c.Fields.References = append(c.Fields.References, refs...)
	return err
}
