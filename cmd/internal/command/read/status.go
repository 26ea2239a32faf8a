package read

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Status is how many handoffs wait for somebody.
type Status struct {
	Operator string         `json:"operator,omitempty"`
	Unread   int            `json:"unread"`
	Newest   string         `json:"newest,omitempty"` // ts_utc
	For      map[string]int `json:"for,omitempty"`    // where it is not known who asks: how many there are for each
}

func statusCommand(a *app) *cobra.Command {
	var short bool
	var operator string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how many handoffs you have not read",
		Long: `Say how many handoffs you have not read, and how old the newest is. --short prints the number alone, and
nothing if there is none or if this is no project: for a prompt or a status line. It always exits with 0.`,
		Example: "  handoff status\n  PS1='$(handoff status --short)$ '",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if short {
				a.shortStatus(operator)
				return nil
			}
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			a.NoteSlips(s, operator)
			st, err := a.status(p, s, operator)
			if err != nil {
				return err
			}
			text := st.text(time.Now())
			if standing := cli.Standing(p, s, false); standing != "" {
				text += standing + "\n"
			}
			return a.Show(st, text)
		},
	}
	cmd.Flags().BoolVar(&short, "short", false, "print the number alone, for a prompt")
	a.OperatorFlag(cmd, &operator)
	return cmd
}

func (a *app) status(p handoff.Project, s *handoff.Store, operator string) (Status, error) {
	if operator == "" {
		operator = p.Me()
	}
	in, err := s.Waiting(operator, 0)
	st := Status{Operator: operator, Unread: in.Count()}
	if n := len(in.Newest); n > 0 {
		st.Newest = in.Newest[n-1].Time
	}
	if operator == "" {
		st.For = in.For
	}
	return st, err
}

func (st Status) text(now time.Time) string {
	who := st.Operator
	if who == "" {
		who = "all"
	}
	line := fmt.Sprintf("%s unread for %s", handoff.Count(st.Unread, "handoff"), who)
	if at, err := time.Parse(time.RFC3339, st.Newest); err == nil {
		line += ", the newest " + handoff.Ago(at, now)
	}
	if st.Operator == "" {
		line += "; I don't know who you are: run `handoff init`, or set HANDOFF_OPERATOR"
	}
	return line + "\n"
}

// shortStatus prints how many are unread, nothing for none and nothing for an error: a prompt is no place for one.
func (a *app) shortStatus(operator string) {
	a.Quiet = true
	p, s, err := a.ProjectStore()
	if err != nil {
		return
	}
	if st, err := a.status(p, s, operator); err == nil && st.Unread > 0 {
		fmt.Fprintln(a.Stdout, st.Unread)
	}
}

// quickStatus is `handoff status --short` without the library of the command line, which a prompt would wait for.
func QuickStatus(run *cli.App) bool {
	a := &app{run}
	if strings.Join(a.Args, " ") != "status --short" {
		return false
	}
	a.shortStatus("")
	return true
}
