package command

import (
	"bytes"
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type exportFlags struct {
	cli.Filter
	Thread    bool
	WithState bool
	Output    string
}

func exportCommand(a *cli.App) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export [ID…] -o FILE",
		Short: "Write handoffs to a bundle, for another store",
		Long: `Write handoffs to a bundle: a file that handoff import stores in another project
or on another machine.

Without ids the flags choose, as those of list do; without flags it is all of
them. --with-state adds what happened to them: reads, takes, dones.`,
		Example: `  handoff export -o all.handoffs
  handoff export 134327a8 --thread --with-state -o thread.handoffs`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, ids []string) error { return export(a, f, ids) },
	}
	flags := cmd.Flags()
	f.Filter.Declare(cmd)
	flags.BoolVar(&f.Thread, "thread", false, "also what they answer, and what answers them")
	flags.BoolVar(&f.WithState, "with-state", false, "also what happened to them")
	flags.StringVarP(&f.Output, "output", "o", "", "the `file` to write, - for standard output")
	return cmd
}

func export(a *cli.App, f *exportFlags, ids []string) error {
	if f.Output == "" {
		return cli.Invalid("add --output FILE, or --output - for standard output", "no output")
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		chosen, err := f.Filter.Chosen(a)
		if err != nil {
			return err
		}
		entries, err := s.List(chosen)
		if err != nil {
			return err
		}
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
	}
	if f.Thread {
		if ids, err = threads(s, ids); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	entries, err := s.Export(&text, ids, f.WithState)
	if err != nil {
		return err
	}
	if f.Output == "-" {
		_, err = a.Stdout.Write(text.Bytes())
		return err
	}
	if err := os.WriteFile(f.Output, text.Bytes(), 0o600); err != nil {
		return cli.OutputError(f.Output, err)
	}
	return a.Did(map[string]any{"file_path": f.Output, "handoffs": len(entries)},
		f.Output+" has "+handoff.Count(len(entries), "handoff"))
}

// threads returns the ids of whole threads.
func threads(s *handoff.Store, ids []string) (all []string, err error) {
	has := map[string]bool{}
	for _, id := range ids {
		t, err := s.Thread(id)
		if err != nil {
			return nil, err
		}
		for _, n := range t {
			if n.File != "" && !has[n.ID] {
				has[n.ID], all = true, append(all, n.ID)
			}
		}
	}
	return all, nil
}

type importFlags struct{ WithState, DryRun bool }

func importCommand(a *cli.App) *cobra.Command {
	f := &importFlags{}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Store the handoffs of a bundle",
		Long: `Store the handoffs of a bundle that handoff export wrote: all of them or none.
Handoffs that are here already are "existing".

Exit codes: 2 not a bundle, 3 a sender is not in OPERATORS.md, 6 damaged.`,
		Example: `  handoff import all.handoffs`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, files []string) error { return importBundle(a, f, files[0]) },
	}
	cmd.Flags().BoolVar(&f.WithState, "with-state", false, "also take over reads, takes and dones")
	cmd.Flags().BoolVar(&f.DryRun, "dry-run", false, "show the ids; store nothing")
	return cmd
}

func importBundle(a *cli.App, f *importFlags, file string) error {
	_, s, err := a.NewStore()
	if err != nil {
		return err
	}
	in := a.Stdin
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return cli.InputError(file, err)
		}
		defer opened.Close()
		if info, err := opened.Stat(); err == nil && info.IsDir() {
			return cli.Invalid("to store its documents: `handoff write "+file+" --to NAME`", "%s is a directory", file)
		}
		in = opened
	}
	receipts, err := s.Import(context.Background(), in, f.WithState, f.DryRun)
	if err != nil {
		return err
	}
	if !f.DryRun {
		a.Committed()
	}
	return cli.JSONLines(a, receipts)
}
