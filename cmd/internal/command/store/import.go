package store

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type importFlags struct {
	WithState, DryRun bool
	AllowSecret       []string
}

func importCommand(a *cli.App) *cobra.Command {
	f := &importFlags{}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Store the handoffs of an exported file",
		Long: `Store the handoffs of a bundle from ` + "`handoff export`" + `, compressed with gzip or
not. Nothing is stored before the whole bundle is verified. Each handoff is
checked as if it were written here, and one that is stored already is
"existing". All are stored or none. import prints a line of JSON for each
handoff.

Read marks and used resume tokens are imported only with --with-state: the
maker of a bundle could use them to hide handoffs from you.

Exit codes: 6 the bundle is cut or changed.`,
		Example: `  handoff import week.jsonl
  ssh build handoff export --since 24h | handoff import -`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return importBundle(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.WithState, "with-state", false, "also import read marks and used resume tokens")
	flags.BoolVar(&f.DryRun, "dry-run", false, "verify the bundle and show what would be stored; store "+
		"nothing")
	flags.StringArrayVar(&f.AllowSecret, "allow-secret", nil, "let what meets this `rule` of the secret "+
		"scan through, audited; can be repeated")
	return cmd
}

func importBundle(a *cli.App, f *importFlags, files []string) error {
	a.Gate.AllowSecret = f.AllowSecret
	o := bundle.Options{Name: files[0], WithState: f.WithState, DryRun: f.DryRun}
	cli.CollectOften()
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if err := s.Maintenance().Ready(); err != nil { // before the bundle is read
		return err
	}
	if o.Name == "-" {
		o.Name = "standard input"
	}
	from, err := openBundle(a, files[0], o.Name)
	if err != nil {
		return fault.Explain(err, "nothing was imported",
			"set TMPDIR to a directory with room, and run the command again")
	}
	defer from.Close()
	o.MaxDocument = p.Options.MaxDocumentBytes
	runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0)) // threads that wait for the disk block others
	got, err := bundle.Import(context.Background(), s, from, o)
	return printImport(a, o, got, err)
}

// openBundle opens a bundle as a file that can be read again. Standard input and compressed bundles go to a temporary
// file without a name.
func openBundle(a *cli.App, path, name string) (f *os.File, err error) {
	if path == "-" {
		f, err = keepBundle(a.Stdin, name)
	} else {
		f, err = cli.OpenInput(path)
	}
	if err != nil {
		return nil, err
	}
	magic := make([]byte, 2)
	if n, _ := f.ReadAt(magic, 0); string(magic[:n]) != "\x1f\x8b" {
		return f, nil
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err == nil {
		f, err = keepBundle(unpacked, name)
	}
	if err != nil && fault.Class(err) == nil && !errors.As(err, new(*fs.PathError)) { // neither size nor disk
		err = fault.Integrity("get the bundle once more", "nothing was imported: %s is cut or damaged: %v", name, err)
	}
	return f, err
}

// keepBundle copies a bundle to a temporary file without a name.
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

func printImport(a *cli.App, o bundle.Options, got bundle.Imported, err error) error {
	if err != nil {
		return err
	}
	var receipts []handoff.Receipt
	created := 0
	for _, r := range got.Results {
		receipts = append(receipts, r.Receipt)
		if r.Receipt.Status != handoff.StatusExisting {
			created++
		}
	}
	if err := a.PrintReceipts(nil, receipts); err != nil {
		return err
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
	return nil
}
