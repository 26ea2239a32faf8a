package everyday

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func surfaceCommand(a *App) *cobra.Command {
	var maxChars int
	var operator string
	cmd := &cobra.Command{
		Use:   "surface [OPERATOR]",
		Short: "Show everything that an operator has not read, framed",
		Long: `Show the unread handoffs to an operator, oldest first. Each body is proven to be what was written, made
visible where it is invisible, and put in a frame that says that it is not an instruction. Nothing is
marked as read. Nothing unread prints nothing. The operator is you, unless another one is named.`,
		Example:           "  handoff surface\n  handoff surface ben",
		Args:              Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeOperators,
		RunE: func(cmd *cobra.Command, ops []string) error {
			a.ForAgents = true
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			if operator, err = a.Acting(p, s, cmp.Or(operator, strings.Join(ops, ""))); err != nil {
				return err
			}
			opt := handoff.SurfaceOptions{MaxChars: p.Settings.SurfaceMaxChars.Value, MaxAgeDays: p.Settings.SurfaceMaxAgeDays.Value, Notes: a.Stderr}
			if maxChars > 0 {
				opt.MaxChars = maxChars
			}
			if a.JSON {
				return a.surfaceJSON(s, operator, opt)
			}
			err = s.Surface(context.Background(), operator, opt, direct(a.Stdout))
			if errors.Is(err, syscall.EPIPE) {
				return nil // and what nobody saw is not recorded as shown
			}
			return err
		},
	}
	Number(cmd.Flags(), &maxChars, "max-chars", "", "cut each body after this `number` of characters (default surface_max_chars)")
	a.OperatorFlag(cmd, &operator)
	before(cmd, func(given func(string) bool) error {
		if given("operator") && cmd.Flags().NArg() > 0 {
			return Invalid("leave one of them out", "--operator and OPERATOR say the same")
		}
		return nil
	})
	return cmd
}

// surfaceJSON prints a line for each unread handoff, with its framed body.
func (a *App) surfaceJSON(s *handoff.Store, operator string, opt handoff.SurfaceOptions) error {
	in, err := s.Unread(operator, 0, opt.MaxAgeDays)
	if err != nil {
		return err
	}
	var failed error
	listed := s.Listed(in.Newest)
	err = s.LoadEach(in.Newest, func(got handoff.Stored, err error) bool {
		line := struct {
			handoff.Listed
			Signature handoff.Signature `json:"signature"`
			Framed    string            `json:"framed,omitempty"`
			Withheld  string            `json:"withheld,omitempty"`
		}{Listed: listed[0].ForAgents(), Signature: got.Signature}
		listed = listed[1:]
		why, refuse := s.Distrust(got.Entry.From, got.Signature)
		if err == nil && refuse {
			err = &handoff.Error{Problem: why}
		} else if err == nil {
			line.Framed, _, err = handoff.Framed(got, handoff.Frame{MaxChars: opt.MaxChars})
		}
		if err != nil {
			line.Withheld = handoff.EscapeLine(fault.Plain(err))
		}
		failed = a.PrintJSON(line)
		return failed == nil
	})
	return errors.Join(err, failed)
}
