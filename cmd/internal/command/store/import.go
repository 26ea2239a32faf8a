package store

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func importCommand(a *app) *cobra.Command {
	var o bundle.Options
	cmd := &cobra.Command{
		Use: "import FILE|-",
		Long: `Store the handoffs of a bundle from ` + "`" + `handoff export` + "`" + `, compressed with gzip or
not. Nothing is stored before the whole bundle is verified. Each handoff is
checked as if it were written here, and one that is stored already is
"existing". All are stored or none, unless you add --keep-going. import prints
a line of JSON for each handoff.

Read marks and used resume tokens are imported only with --with-state: the
maker of a bundle could use them to hide handoffs from you.

Exit codes: 6 the bundle is cut or changed.`,
		Example: "  handoff import week.jsonl\n  ssh build handoff export --since 24h | handoff import -",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, files []string) error {
			cli.CollectOften()
			p, s, err := a.NewStore()
			if err != nil {
				return err
			}
			if err := s.Maintenance().Ready(); err != nil { // before the bundle is read
				return err
			}
			from, err := a.openBundle(files[0])
			if err != nil {
				return err
			}
			defer from.Close()
			if o.Name = files[0]; o.Name == "-" {
				o.Name = "standard input"
			}
			o.MaxDocument = p.Options.MaxDocumentBytes
			runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0)) // threads that wait for the disk block others
			got, err := bundle.Import(context.Background(), s, from, o)
			return a.printImport(o, got, err)
		},
	}
	cmd.Flags().BoolVar(&o.WithState, "with-state", false, "also import read marks and used resume tokens")
	cmd.Flags().BoolVar(&o.MustSign, "require-signature", false,
		"refuse handoffs without a good signature of their author")
	a.Gate.RegisterRestore(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "verify the bundle and show what would be stored; store nothing")
	cmd.Flags().BoolVar(&o.KeepGoing, "keep-going", false,
		"store the valid handoffs; exit with the code of the first failure")
	cli.Texts(cmd.Flags(), &a.Gate.Allow, "allow-secret",
		"let what meets this `rule` of the secret scan through, audited")
	return cmd
}

// openBundle opens a bundle as a file that can be read twice. Standard input and compressed bundles go to a temporary
// file without a name. A bundle that cannot be unpacked is returned as it is: the import reports the fault.
func (a *app) openBundle(path string) (f *os.File, err error) {
	if path == "-" {
		f, err = keepBundle(a.Stdin, "standard input")
	} else {
		f, _, err = cli.OpenInput(path)
	}
	if err != nil {
		return nil, err
	}
	if packed, err := gzip.NewReader(f); err == nil {
		if unpacked, err := keepBundle(packed, path); err == nil {
			f.Close()
			return unpacked, nil
		}
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

func keepBundle(from io.Reader, name string) (*os.File, error) {
	f, err := os.CreateTemp("", "handoff-bundle-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	n, err := io.Copy(f, io.LimitReader(from, bundle.MaxBytes+1))
	if err == nil && n > bundle.MaxBytes {
		err = cli.Invalid("export fewer handoffs at once", "%s has more than %d bytes", name, bundle.MaxBytes)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (a *app) printImport(o bundle.Options, got bundle.Imported, err error) error {
	var receipts []handoff.Receipt
	errs := []error{err}
	created := 0
	for _, r := range got.Results {
		errs = append(errs, r.Err)
		if r.Err == nil {
			receipts = append(receipts, r.Receipt)
			if r.Receipt.Status != handoff.StatusExisting {
				created++
			}
		}
	}
	if err != nil && len(receipts) == 0 {
		return err
	}
	if printErr := a.PrintReceipts(nil, receipts); printErr != nil {
		return printErr
	}
	verb := "imported "
	if o.DryRun {
		verb = "would import "
	}
	note := verb + countText(bundle.Counts{Handoffs: created, Marks: got.Marks, Tokens: got.Tokens}) +
		fmt.Sprintf("; %d existed", len(receipts)-created)
	if left := state(got.Left); len(left) > 0 {
		note += "; add --with-state to import also " + strings.Join(left, ", ")
	}
	a.Note(note)
	return cli.FirstOf(errs)
}
