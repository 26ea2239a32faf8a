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
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

// A creation is one run of create.
type creation struct {
	*cli.App
	cli.Fields
	cli.Relating
	cli.Recording
	After             string
	AllowEmpty, Close []string

	kind   *kinds.Kind
	values []kinds.Value // of the flags of the kind, in their order
	after  *kinds.Tree   // the record that it follows, nil for none
}

func createCommand(a *cli.App) *cobra.Command {
	c := &creation{App: a}
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
	c.Fields.Declare(flags)
	c.Relating.Declare(flags)
	c.Recording.Declare(flags)
	c.Gate.Declare(flags)
	flags.VisitAll(func(flag *pflag.Flag) { flag.Hidden = flag.Name != "to" })
	kind := kinds.Run
	flags.Var(cli.Choice(&kind, kinds.Names()...), "kind", "the `kind` of the record: packet, universal or run")
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
	p, s, err := c.NewStore()
	if err != nil {
		return err
	}
	took := ""
	if c.Time == "" {
		took = c.UTCNow()
		c.Time = took
	}
	if c.After != "" {
		err = c.follow(p, s)
	}
	if err = cmp.Or(err, c.Apply(c.App, &c.Fields), kinds.CheckAllowEmpty(c.AllowEmpty)); err != nil {
		return err
	}
	if isRun {
		c.values = append(c.values, kinds.Value{Path: "/task_id", Text: args[0]})
		if err := c.resolve(s, args[0]); err != nil {
			return err
		}
	}
	return cli.SameAgain(c.store(p, s), took)
}

// follow reads the record that this one follows.
func (c *creation) follow(p handoff.Project, s *handoff.Store) error {
	got, err := s.Read(c.After)
	if err != nil {
		return err
	}
	r, is := kinds.Extract(got.Body)
	if !is || r.Name != c.kind.Name {
		return cli.Invalid("name a "+c.kind.Name+" record", "%s carries no %s record", cli.Short(got.Entry.ID,
			cli.Shortest), c.kind.Name)
	}
	if c.after = r.Root; r.Name != kinds.Packet {
		c.Re = append(c.Re, got.Entry.ID)
		return nil
	}
	c.Supersedes = append(c.Supersedes, got.Entry.ID)
	if c.To == "" && got.Entry.To != p.Me() {
		c.To = got.Entry.To
	}
	return nil
}

// resolve replaces the keys of open items by their texts. It notes a value whose end looks like a mistyped state.
func (c *creation) resolve(s *handoff.Store, task string) error {
	project := c.RecordOptions(c.Fields, c.Time).Project
	for _, v := range c.values {
		if v.Flag == "project" {
			project = v.Text
		}
	}
	runs, _, err := s.Records().Runs()
	if err != nil {
		return err
	}
	open := kinds.Carry(kinds.Before(runs, project, task, c.Time)) // the same again closes the same
	find := func(flag, key, list string) (kinds.Open, error) {
		for _, o := range open {
			if o.Key == key && (list == "" || list == "/"+o.List) {
				c.Note(fmt.Sprintf("--%s %s: %s", flag, key, o.Text))
				return o, nil
			}
		}
		return kinds.Open{}, cli.Invalid("run `handoff onboard --markdown` to see their keys",
			"--%s %s: none of the %d open items has this key", flag, key, len(open))
	}
	for _, flag := range c.kind.Flags() {
		for i, v := range c.values {
			text, state, word := flag.Cut(v.Text)
			isKey := flag.Key && len(text) == 6 && strings.Trim(text, "0123456789abcdef") == ""
			switch {
			case v.Flag != flag.Name || flag.States == nil:
			case word != "":
				c.Note(fmt.Sprintf("--%s: %q is not a state (%s), so it is part of the text", v.Flag, word,
					strings.Join(flag.States, ", ")))
			case isKey:
				o, err := find(v.Flag, text, flag.Path)
				if err == nil && state == "" {
					err = cli.Invalid("add one of "+strings.Join(flag.States, ", "),
						"--%s %s: the key of an open item needs =STATE", v.Flag, v.Text)
				}
				if err != nil {
					return err
				}
				c.values[i].Text = o.Text + "=" + state
			}
		}
	}
	for _, key := range c.Close {
		o, err := find("close", key, "")
		if err != nil {
			return err
		}
		c.values = append(c.values, o.Closing())
	}
	return nil
}

// store completes and stores the record. It checks everything before it runs the first command.
func (c *creation) store(p handoff.Project, s *handoff.Store) error {
	me := cmp.Or(c.From, p.Me())
	if me == "" && c.kind.Name != kinds.Universal { // whose source is the sender
		return cli.UnknownOperator()
	}
	all, err := c.Recipients(func() string { return me }, c.To)
	if err = cmp.Or(err, c.CheckNames(s, all, c.From), s.Maintenance().Ready()); err != nil {
		return err
	}
	isCommand := func(v kinds.Value) bool { return v.Flag == "test-run-exec" }
	if slices.ContainsFunc(c.values, isCommand) {
		if _, err := c.source(all[0], false).Make(); err != nil {
			return err
		}
	}
	for i, v := range c.values {
		if isCommand(v) {
			if err := c.execute(i); err != nil {
				return err
			}
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
	o.From, o.To, o.Head.To, o.AllowEmpty = cmp.Or(c.From, o.Me), to, to, c.AllowEmpty
	if !warns {
		o.Warn = nil
	}
	return o.Source("", func(g kinds.Given) (kinds.Record, error) { return c.kind.Make(c.values, c.after, g) })
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
	if c.kind.Name == kinds.Run && (c.Work || p.RecordsWork(agent.Inside(c.Getenv) != "")) {
		c.Try = true
		for _, v := range c.values {
			if path, state, _ := strings.Cut(v.Text, "="); v.Flag == "file" && state != "deleted" {
				c.Files = append(c.Files, path)
			}
		}
	}
	refs, err := c.Recording.References(c.App, c.Try)
	c.Fields.References = append(c.Fields.References, refs...)
	return err
}
