package records

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

func recordCommand(a *app) *cobra.Command {
	id := recordIDCommand(a)
	all := []*cobra.Command{id}
	for _, sub := range []struct {
		build func(*app) *cobra.Command
		short string
	}{
		{showCommand, "Print the record of a handoff"},
		{validateCommand, "Find the faults of a universal handoff"},
		{repairCommand, "Repair a universal handoff"},
		{createCommand, "Store a run record: what a run did, and what is open"},
		{hopCommand, "Store the next universal handoff of a chain"},
		{onboardCommand, "Print what the next run of a project should know"},
	} {
		cmd := sub.build(a)
		cmd.Short = sub.short
		all = append(all, cmd)
	}
	return cli.Below(&cobra.Command{Use: "record"}, all...)
}
