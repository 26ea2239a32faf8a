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
		Use:   "import FILE|-",
		Short: "Store the handoffs of a file from export",
		Long: `Store the handoffs of a bundle that ` + "`handoff export`" + ` has made, packed with gzip or not. Nothing is stored
before the whole bundle is proven: one that is cut or changed exits with 6, one that is none with 2. Each
handoff goes through all that a written one does, and what is stored already is existing; one JSON receipt
a line. All are stored or none, unless --keep-going is given. Who has read them, and what was resumed, is
taken over with --with-state alone: whoever made the bundle could hide mail by it.`,
		Example: "  handoff import week.jsonl\n  ssh build handoff export --since 24h | handoff import -",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, files []string) error {
			cli.CollectOften()
			p, s, err := a.NewStore()
			if err != nil {
				return err
			}
			if err := s.Maintenance().Ready(); err != nil { // before the bundle is looked at
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
			runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0)) // threads that wait for the disk keep others from running for a while
			got, err := bundle.Import(context.Background(), s, from, o)
			return a.printImport(o, got, err)
		},
	}
	cmd.Flags().BoolVar(&o.WithState, "with-state", false, "take over read marks and consumed tokens too")
	cmd.Flags().BoolVar(&o.MustSign, "require-signature", false, "refuse what has no good signature of its author")
	a.Gate.RegisterRestore(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "prove the bundle, say what would be stored, and store nothing")
	cmd.Flags().BoolVar(&o.KeepGoing, "keep-going", false, "store the good handoffs; exit with the code of the first failure")
	cli.Texts(cmd.Flags(), &a.Gate.Allow, "allow-secret", "let what meets this `rule` of the secret scan through, audited")
	return cmd
}

// openBundle opens a bundle that can be read again from anywhere: one from standard input, or packed, is kept in a file without a
// name. One that cannot be unpacked stays as it is: the import says what is wrong with it.
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
	note := verb + told(bundle.Counts{Handoffs: created, Marks: got.Marks, Tokens: got.Tokens}) + fmt.Sprintf("; %d were here", len(receipts)-created)
	if left := state(got.Left); len(left) > 0 {
		note += "; left out, for --with-state to take over: " + strings.Join(left, ", ")
	}
	a.Note(note)
	return cli.FirstOf(errs)
}
