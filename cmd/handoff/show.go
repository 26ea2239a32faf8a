package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
)

func showCommand(a *app) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "show ID|TASK_ID",
		Short: "Print the record that a handoff carries",
		Long: `Print the record in the body of a handoff as JSON, or with --markdown its view for people: bytes to a
pipe, escaped to a terminal. The id is proven first, as read does. A plain handoff carries no record.
TASK_ID stands for the newest run record of that task.`,
		Example:           "  handoff show 134327a8\n  handoff show task_review_docs\n  handoff show 134327a8 --markdown",
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			s, err := a.store()
			if err != nil {
				return err
			}
			got, err := readRecord(s, ids[0])
			if err != nil {
				return err
			}
			block, err := record.Extract(got)
			if err != nil {
				return err
			}
			text := strings.TrimRight(string(block.JSON), "\n") + "\n"
			if markdown {
				text = block.View
			}
			if isTerminal(a.stdout) {
				text = handoff.Escape(text)
			}
			_, err = io.WriteString(a.stdout, text)
			return err
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the view for people")
	return cmd
}

// readRecord reads the handoff of an id, or else the newest one with a run record of the task of that name.
func readRecord(s *handoff.Store, name string) (handoff.Stored, error) {
	if _, err := s.Find(name); err == nil {
		return s.Read(name)
	}
	id, err := record.NewestOfTask(s, name)
	switch {
	case err == nil:
		return s.Read(id)
	case looksLikeID(name):
		return s.Read(name) // says what is wrong with the id
	}
	return handoff.Stored{}, err
}
