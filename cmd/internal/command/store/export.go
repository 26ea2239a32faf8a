package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/sshkey"
	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func exportCommand(a *app) *cobra.Command {
	var f cli.Filter
	var output string
	var withState, threads bool
	cmd := &cobra.Command{
		Use: "export [ID…]",
		Long: `Write handoffs to a bundle: one file for mail, a USB stick or an artifact
store. ` + "`" + `handoff import` + "`" + ` stores them elsewhere. Name ids, or choose with flags
as in list; without either, all handoffs are exported. Each is verified first.
The same handoffs give the same bytes.

--with-state adds read marks and used resume tokens. --thread adds replies and
successors, and the handoffs that they answer or replace. --sign signs your
unsigned handoffs, in the bundle only.

The file appears once it is complete; an existing file is never replaced. To
compress it, pipe it through gzip; import accepts both. A bundle has at most
256 MiB unpacked, and 100,000 lines. With -o all.jsonl, more handoffs go to
all-2.jsonl and so on: import each of them.`,
		Example:           "  handoff export --to ben --since 7d -o week.jsonl\n  handoff export | gzip >all.jsonl.gz",
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			chosen, err := f.Chosen(a.App)
			if err != nil {
				return err
			}
			cli.CollectOften()
			p, s, err := a.ProjectStore()
			if err == nil && output != "-" {
				err = cli.NewFile(s, output)
			}
			if err != nil {
				return err
			}
			entries, err := chooseEntries(s, ids, chosen)
			if err == nil && threads {
				entries, err = withThreads(s, entries)
			}
			if err != nil {
				return err
			}
			with := bundle.With{State: withState}
			if a.Sign.Asked {
				if with.Author = p.Me(); with.Author == "" {
					return cli.UnknownOperator("")
				}
				with.Sign = func(text []byte) ([]byte, error) { return sshkey.SignText(a.App, p, a.Sign.Key, text) }
			}
			return a.writeBundles(s, entries, with, output)
		},
	}
	f.Register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "-", "the new `file`; - is standard output")
	cmd.Flags().BoolVar(&withState, "with-state", false, "also export read marks and used resume tokens")
	cmd.Flags().BoolVar(&threads, "thread", false, "export whole threads")
	a.Sign.Register(cmd)
	return cmd
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

// writeBundles writes as many files as are needed, and one to standard output.
func (a *app) writeBundles(s *handoff.Store, entries []handoff.Entry, with bundle.With, output string) error {
	if len(entries) < bundle.MaxLines/4 || output == "-" { // few handoffs have that many lines of state
		return a.writeBundle(s, entries, with, output)
	}
	parts, err := bundle.Split(s, entries, with.State, bundle.MaxLines)
	if err != nil {
		return err
	}
	stem, extension, _ := strings.Cut(filepath.Base(output), ".")
	for n, part := range parts {
		name := output
		if n > 0 {
			name = filepath.Join(filepath.Dir(output), fmt.Sprintf("%s-%d.%s", stem, n+1, extension))
			if err := cli.NewFile(s, name); err != nil {
				return err
			}
		}
		if len(parts) > 1 && !a.JSON {
			a.Note("writing " + name)
		}
		if err := a.writeBundle(s, part, with, name); err != nil {
			return err
		}
	}
	return nil
}

// writeBundle writes the bundle. A file gets its name once it is complete.
func (a *app) writeBundle(s *handoff.Store, entries []handoff.Entry, with bundle.With, output string) error {
	var counts bundle.Counts
	export := func(to io.Writer) (err error) {
		counts, err = bundle.Export(s, entries, with, to)
		return err
	}
	if output == "-" {
		if err := a.printBundle(export); err != nil {
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
func (a *app) printBundle(export func(io.Writer) error) error {
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

// state lists how many read marks, new signatures and consumed tokens there are.
func state(c bundle.Counts) (parts []string) {
	if c.Marks > 0 {
		parts = append(parts, handoff.Count(c.Marks, "read mark"))
	}
	if c.Signed > 0 {
		parts = append(parts, handoff.Count(c.Signed, "new signature"))
	}
	if c.Tokens > 0 {
		parts = append(parts, handoff.Count(c.Tokens, "consumed token"))
	}
	return parts
}
