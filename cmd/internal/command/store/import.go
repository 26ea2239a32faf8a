package store

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type importFlags struct {
	WithState, RequireSignature bool
	*cli.Restore
	DryRun, KeepGoing bool
	AllowSecret       []string
}

func importBundle(a *cli.App, f *importFlags, files []string) error {
	a.Gate.AllowSecret = f.AllowSecret
	o := bundle.Options{Name: files[0], WithState: f.WithState, MustSign: f.RequireSignature, DryRun: f.DryRun,
		KeepGoing: f.KeepGoing}
	cli.CollectOften()
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	if err := s.Maintenance().Ready(); err != nil { // before the bundle is read
		return err
	}
	from, err := openBundle(a, files[0])
	if err != nil {
		return err
	}
	defer from.Close()
	if o.Name == "-" {
		o.Name = "standard input"
	}
	o.MaxDocument = p.Options.MaxDocumentBytes
	runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0)) // threads that wait for the disk block others
	got, err := bundle.Import(context.Background(), s, from, o)
	return printImport(a, o, got, err)
}

// openBundle opens a bundle as a file that can be read twice. Standard input and compressed bundles go to a temporary
// file without a name. A bundle that cannot be unpacked is returned as it is: the import reports the fault.
func openBundle(a *cli.App, path string) (f *os.File, err error) {
	if path == "-" {
		f, err = keepBundle(a.Stdin, "standard input")
	} else {
		f, err = cli.OpenInput(path)
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

func printImport(a *cli.App, o bundle.Options, got bundle.Imported, err error) error {
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
