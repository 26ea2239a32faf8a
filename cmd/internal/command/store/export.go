package store

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type exportFlags struct {
	cli.Filter
	Output    string
	WithState bool
	Thread    bool
}

func exportCommand(a *cli.App) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export [ID…]",
		Short: "Write handoffs to a file",
		Long: `Write handoffs to a bundle: one file for mail, a USB stick or an artifact
store. ` + "`handoff import`" + ` stores them elsewhere. Name ids, or choose with flags
as in list; without either, all handoffs are exported. Each is verified first.
The same handoffs give the same bytes.

--with-state adds read marks and used resume tokens. --thread adds replies and
successors, and the handoffs that they answer or replace.

The file appears once it is complete; an existing file is never replaced. To
compress it, pipe it through gzip; import accepts both. A bundle has at most
256 MiB unpacked, and 100,000 lines.`,
		Example: `  handoff export --to ben --since 7d -o week.jsonl
  handoff export | gzip >all.jsonl.gz`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return export(a, f, args) },
	}
	flags := cmd.Flags()
	f.Filter.Declare(cmd)
	flags.StringVarP(&f.Output, "output", "o", "-", "the new `file`; - is standard output")
	flags.BoolVar(&f.WithState, "with-state", false, "also export read marks and used resume tokens")
	flags.BoolVar(&f.Thread, "thread", false, "export whole threads")
	return cmd
}

func export(a *cli.App, f *exportFlags, ids []string) error {
	chosen, err := f.Chosen(a)
	if err != nil {
		return err
	}
	cli.CollectOften()
	_, s, err := a.ProjectStore()
	if err == nil && f.Output != "-" {
		err = cli.NewFile(s, f.Output)
	}
	if err != nil {
		return err
	}
	entries, err := chooseEntries(s, ids, chosen)
	if err == nil && f.Thread {
		entries, err = withThreads(s, entries)
	}
	if err != nil {
		return err
	}
	return writeBundle(a, s, entries, f.WithState, f.Output)
}

// chooseEntries returns the entries of ids, or without ids the entries that match a filter.
func chooseEntries(s *handoff.Store, ids []string, chosen handoff.Filter) ([]handoff.Entry, error) {
	if len(ids) == 0 {
		return s.List(chosen)
	}
	if chosen != (handoff.Filter{}) {
		return nil, cli.Invalid("remove one", "ids conflict with flags that choose handoffs")
	}
	return s.FindEach(ids)
}

// withThreads adds to entries the stored handoffs of their threads.
func withThreads(s *handoff.Store, entries []handoff.Entry) ([]handoff.Entry, error) {
	here, err := s.List(handoff.Filter{})
	if err != nil {
		return nil, err
	}
	rows, known := make(map[string]handoff.Entry, len(here)), make(map[string]bool)
	for _, e := range here {
		rows[e.ID] = e
	}
	var all []handoff.Entry
	for _, e := range entries {
		if known[e.ID] {
			continue
		}
		t, err := s.Thread(e.ID)
		if err != nil {
			return nil, err
		}
		for _, n := range t.Nodes {
			if one, ok := rows[n.ID]; ok && !known[n.ID] {
				known[n.ID], all = true, append(all, one)
			}
		}
	}
	return all, nil
}

// writeBundle writes the bundle. A file gets its name once it is complete.
func writeBundle(a *cli.App, s *handoff.Store, entries []handoff.Entry, withState bool, output string) error {
	var counts bundle.Counts
	export := func(to io.Writer) (err error) {
		counts, err = bundle.Export(s, entries, withState, to)
		return err
	}
	if output == "-" {
		if err := printBundle(a, export); err != nil {
			return err
		}
	} else if err := bundle.Create(output, 0o644, export); errors.Is(err, fs.ErrExist) {
		return cli.Invalid("name a new file with -o", "%s exists", output)
	} else if err != nil {
		return err
	}
	if a.JSON && output != "-" {
		return a.PrintJSON(counts)
	}
	a.Note("exported " + countText(counts))
	return nil
}

// printBundle prints the bundle. It is an error if the reader closes the pipe before the end.
func printBundle(a *cli.App, export func(io.Writer) error) error {
	if cli.IsTerminal(a.Stdout) {
		return cli.Invalid("name a file with -o, or redirect standard output", "standard output is a terminal")
	}
	buffered := bufio.NewWriterSize(a.Stdout, 256<<10)
	err := export(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil && a.HasReaderLeft() {
		err = errors.New("the reader of the bundle closed the pipe before the end")
	}
	return err
}

func countText(c bundle.Counts) string {
	return strings.Join(append([]string{handoff.Count(c.Handoffs, "handoff")}, state(c)...), ", ")
}

// state lists how many read marks and consumed tokens there are.
func state(c bundle.Counts) (parts []string) {
	if c.Marks > 0 {
		parts = append(parts, handoff.Count(c.Marks, "read mark"))
	}
	if c.Tokens > 0 {
		parts = append(parts, handoff.Count(c.Tokens, "consumed token"))
	}
	return parts
}
