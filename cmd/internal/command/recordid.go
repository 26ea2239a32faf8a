package command

import (
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
	w := cli.Writing{App: a}
	sources, err := w.Sources(paths)
	if err != nil {
		return err
	}
	ids := make([]string, len(sources))
	var errs []error
	for i, src := range sources {
		var doc handoff.Document
		if doc, err = handoff.Parse(src, p.Options.Rules, p.Options.MaxDocumentBytes); err == nil {
			ids[i], err = handoff.ID(doc)
		}
		errs = append(errs, err)
	}
	if err := cli.FirstOf(errs); err != nil {
		return err
	}
	for i, id := range ids {
		if err := a.Show(map[string]string{"handoff_id": id, "input": sources[i].Name}, id+"\n"); err != nil {
			return err
		}
	}
	return nil
}
