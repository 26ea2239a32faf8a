package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func computeIDCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "compute-id FILE…",
		Short: "Print the ids of documents; store nothing",
		Long: `Check documents against the schema, and print the id of each on a line. Nothing
is stored. The time and the handoff_id of a document are not checked.`,
		Example: `  handoff compute-id note.md`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return ids(a, args) },
	}
}

// ids prints the ids of documents.
func ids(a *cli.App, paths []string) error {
	p, err := a.Project()
	if err != nil {
		return err
	}
	ids, names, errs := make([]string, len(paths)), make([]string, len(paths)), make([]error, len(paths))
	for i, path := range paths {
		name, text, err := a.ReadNamed(path)
		var doc handoff.Document
		if err == nil {
			src := handoff.Source{Name: name, Text: text}
			doc, err = handoff.Parse(src, p.Options.Rules, p.Options.MaxDocumentBytes)
		}
		if err == nil {
			ids[i], err = handoff.ID(doc)
		}
		names[i], errs[i] = name, err
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, id := range ids {
		if err := a.Show(map[string]string{"handoff_id": id, "input": names[i]}, id+"\n"); err != nil {
			return err
		}
	}
	return nil
}
