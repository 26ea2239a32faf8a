package command

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A recordFlags holds the flags of create for a packet or a universal handoff. Said has the values of the flags of the
// kind.
type recordFlags struct {
	record.Making
	cli.Fields
	cli.Relating
	cli.Recording
	*cli.Gate
}

// createRecordCommand is create for one of the kinds that flags can make.
func createRecordCommand(a *cli.App, kind string) *cobra.Command {
	f := &recordFlags{Gate: &a.Gate}
	cmd := &cobra.Command{
		Use:   "create --kind " + kind,
		Short: "Store a new record of this kind",
		Long: `Store a new record, made from flags. A packet gets a new resume token. A
universal handoff goes from skill to skill, and gets its trace_id, chain, token
count and payload hash.`,
		Example: map[string]string{"packet": `  handoff create --kind packet --to ben --topic deploy \
    --objective 'Move the deploy to the new runner' \
    --completed 'Runner set up' --unresolved 'The cache is cold' \
    --assumption 'The old runner stays until Friday' \
    --risk 'A slow first build' \
    --next-action 'Warm the cache with one build of main'`,
			universal.Kind: `  handoff create --kind universal --from survey-reader --to report-writer \
    --workflow wf-17 --phase reading --problem-type research \
    --summary 'Forty interviews are read and coded.' --working themes.json`}[kind],
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return f.create(a) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Making.Kind, "kind", "", "the `kind` of the record")
	f.Fields.Declare(flags)
	f.Relating.Declare(flags)
	f.Recording.Declare(flags)
	f.Gate.Declare(flags)
	f.Said = map[string][]string{}
	for _, flag := range record.Flags(kind) {
		addSaying(flags, f.Said, flag.Name, flag.Usage, flag.List)
	}
	if flags.Lookup("file") == nil {
		addSaying(flags, f.Said, "file", "record this file (`path`), for check to compare; can be repeated", true)
	}
	flags.StringArrayVar(&f.AllowEmpty, "allow-empty", nil, "accept this empty `field`; can be repeated")
	return cmd
}

// kindIn returns the kind that a command line names, "" if it names none that flags can make.
func kindIn(args []string) string {
	for i, arg := range args {
		value, is := strings.CutPrefix(arg, "--kind=")
		if !is && arg == "--kind" && i+1 < len(args) {
			value = args[i+1]
		}
		if slices.Contains(record.Makes(), value) {
			return value
		}
	}
	return ""
}

func (f *recordFlags) create(a *cli.App) error {
	p, err := a.Project()
	if err == nil {
		err = f.Apply(a, &f.Fields)
	}
	if err != nil {
		return err
	}
	if f.From == "" {
		f.From = p.Options.Me()
	}
	if f.Making.Kind != universal.Kind || f.Work { // a universal handoff lists its files
		f.Files = f.Said["file"]
	}
	refs, err := f.Recording.References(a, true)
	if err != nil {
		return err
	}
	f.Fields.References = append(f.Fields.References, refs...)
	for _, flag := range record.Flags(f.Making.Kind) {
		if said := f.Said[flag.Name]; len(said) > 1 && !flag.List {
			return cli.Invalid("give it once", "--%s is given %d times", flag.Name, len(said))
		}
	}
	return f.store(a, p, f.Fields)
}

// store creates and stores the record.
func (r *recordFlags) store(a *cli.App, p handoff.Project, f cli.Fields) error {
	kind, allowed := r.Making.Kind, r.AllowEmpty
	r.Options, r.Root, r.At = a.RecordOptions(f), p.Root, a.Now()
	r.Making.Kind, r.AllowEmpty = kind, allowed
	if err := r.readFiles(); err != nil {
		return err
	}
	all, err := a.Recipients(func() string { return f.From }, r.Head.To)
	if err != nil {
		return err
	}
	sources := make([]handoff.Source, len(all))
	for i, to := range all {
		one := r.Making
		one.Head.To, one.Said = to, maps.Clone(r.Said)
		if sources[i], err = record.New(one); err != nil {
			return err
		}
	}
	return a.Write(sources)
}

// readFiles replaces the names of files by their contents.
func (r *recordFlags) readFiles() error {
	for _, f := range record.Flags(r.Making.Kind) {
		for i, name := range r.Said[f.Name] {
			if !f.File {
				break
			}
			content, err := cli.ReadInput(name)
			if err != nil {
				return err
			}
			r.Said[f.Name][i] = string(content)
		}
	}
	return nil
}
