package whole

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func exportCommand(a *app) *cobra.Command {
	var f everyday.Filter
	var output string
	var withState bool
	cmd := &cobra.Command{
		Use: "export [ID…]",
		Long: `Write handoffs as a bundle: one file for mail, a stick or an artifact store, which ` + "`handoff import`" + ` stores
elsewhere. Without ids the flags choose, as those of list do; without flags it is every handoff. Each is
proven first. The same handoffs give the same bytes. --with-state adds who has read them, and which
were resumed. Pipe it through gzip to pack it; import unpacks it.`,
		Example:           "  handoff export --to ben --since 7d -o week.jsonl\n  handoff export | gzip >all.jsonl.gz",
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := everyday.NoneEmpty(cmd, "output"); err != nil {
				return err
			}
			chosen, err := f.Chosen(a.App, cmd)
			if err != nil {
				return err
			}
			everyday.CollectOften()
			s, err := a.Store()
			if err != nil {
				return err
			}
			entries, err := chooseEntries(s, ids, chosen)
			if err != nil {
				return err
			}
			return a.writeBundle(s, entries, withState, output)
		},
	}
	f.Register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "-", "the new `file`; - is standard output")
	cmd.Flags().BoolVar(&withState, "with-state", false, "export read marks and consumed tokens too")
	return cmd
}

// chooseEntries returns the entries of ids, or those that a filter chooses.
func chooseEntries(s *handoff.Store, ids []string, chosen handoff.Filter) ([]handoff.Entry, error) {
	if len(ids) == 0 {
		return s.List(chosen)
	}
	if chosen != (handoff.Filter{}) {
		return nil, everyday.Invalid("leave one of them out", "ids and flags that choose do not go together")
	}
	entries := make([]handoff.Entry, len(ids))
	for i, id := range ids {
		e, err := s.Find(id)
		if err != nil {
			return nil, err
		}
		entries[i] = e
	}
	return entries, nil
}

// writeBundle writes the bundle. A file that cannot be written whole is taken away again.
func (a *app) writeBundle(s *handoff.Store, entries []handoff.Entry, withState bool, output string) error {
	to, err := io.Writer(a.Stdout), error(nil)
	if output != "-" {
		f, openErr := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(openErr, fs.ErrExist) {
			return everyday.Invalid("name a new file with -o", "%s exists", output)
		}
		if openErr != nil {
			return everyday.InputError(output, openErr)
		}
		defer func() {
			if f.Close(); err != nil {
				os.Remove(output)
			}
		}()
		to = f
	} else if everyday.IsTerminal(a.Stdout) {
		return everyday.Invalid("name a file with -o, or redirect it", "a bundle is not for a terminal")
	}
	buffered := bufio.NewWriterSize(to, 256<<10)
	counts, err := bundle.Export(s, entries, withState, buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if f, ok := to.(*os.File); ok && err == nil && output != "-" {
		err = f.Sync()
	}
	if err != nil {
		return err
	}
	if a.JSON && output != "-" {
		return a.PrintJSON(counts)
	}
	a.Note("exported " + told(counts))
	return nil
}

func told(c bundle.Counts) string {
	return strings.Join(append([]string{handoff.Count(c.Handoffs, "handoff")}, state(c)...), ", ")
}

// state says how many read marks and consumed tokens there are, if there are any.
func state(c bundle.Counts) (parts []string) {
	if c.Marks > 0 {
		parts = append(parts, handoff.Count(c.Marks, "read mark"))
	}
	if c.Tokens > 0 {
		parts = append(parts, handoff.Count(c.Tokens, "consumed token"))
	}
	return parts
}
