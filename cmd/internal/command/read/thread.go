package read

import "github.com/seed-78daf238/handoff/cmd/internal/cli"

type threadFlags struct{ *cli.Paging }

func thread(a *cli.App, f *threadFlags, ids []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	t, err := s.Thread(ids[0])
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.PrintJSON(t)
	}
	return a.Print(t.List(cli.TerminalWidth(a.Stdout), a.When))
}
