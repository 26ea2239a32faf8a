package write

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command/read"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func draftCommand(a *app) *cobra.Command {
	return cli.Below(&cobra.Command{
		Use:   "draft",
		Short: "Save, show, publish or discard drafts",
		Long: `Keep text until you publish it as a handoff. You can save a draft before you
know the recipient. A new session is told how many drafts there are.`,
	}, draftSaveCommand(a), draftListCommand(a), draftShowCommand(a), draftPublishCommand(a), draftDiscardCommand(a))
}

func draftSaveCommand(a *app) *cobra.Command {
	var f cli.Fields
	var hook bool
	var name, session string
	cmd := &cobra.Command{
		Use:   "save [FILE|-]",
		Short: "Save a draft on disk",
		Long: `Save a body, or a document with frontmatter, from FILE or standard input.
Fields that you give as flags are kept with it; you can add others when you
publish it. Saving the same draft again changes nothing. Credentials are
refused, as by write; publish checks again.

--hook is for agents, which run it when a session begins, when a turn ends,
after a compaction and when the session ends. Standard input is then the
agent's report. What the agent said last, and the summary of a compaction, are
kept without credentials, on this machine only, for 14 days. The setting
capture changes that: none keeps neither, extract adds the user's words, the
changed files and the commands of the transcript.

A session that dies or ends without having written a handoff leaves a draft,
and the next session is told. With --hook the exit code is always 0, and
without a project nothing happens.`,
		Example: "  handoff draft save --to ben --topic deploy notes.md\n  handoff draft save --hook --agent claude",
		Args:    cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, files []string) error {
			if hook {
				a.SaveHookDraft(name)
				return nil
			}
			text, err := a.draftInput(files)
			if err != nil {
				return err
			}
			_, s, err := a.NewStore()
			if err != nil {
				return err
			}
			d, err := s.Sessions().SaveDraft(context.Background(), handoff.Draft{Agent: name, Session: session,
				From: f.From, To: f.To, Topic: f.Topic, Time: f.Time,
				Tags: f.Tags, References: f.References, Text: string(text)})
			if err != nil {
				return err
			}
			return a.Did(newDrafted(d), "saved the draft "+d.ID)
		},
	}
	f.Register(cmd)
	a.Gate.Register(cmd)
	cmd.Flags().BoolVar(&hook, "hook", false, "save the report of an agent about its session from standard input")
	cmd.Flags().StringVar(&name, "agent", "", "the `agent` of the session: "+strings.Join(agent.Names(), ", "))
	cmd.Flags().StringVar(&session, "session", "", "the `id` of the session")
	return cmd
}

func (a *app) draftInput(files []string) ([]byte, error) {
	if len(files) == 0 || files[0] == "-" {
		return a.ReadStdin(cli.MaxInput)
	}
	return cli.ReadInput(files[0])
}

func draftListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the drafts, oldest first, without their text",
		Args:  cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			s, err := a.Store()
			if err != nil {
				return err
			}
			drafts, err := s.Sessions().Drafts()
			if err != nil {
				return err
			}
			return a.printDrafts(drafts)
		},
	}
}

// A drafted is a draft in JSON, without its text.
type drafted struct {
	ID    string `json:"draft_id"`
	Bytes int    `json:"bytes"`
	handoff.Draft
	Text string        `json:"text,omitempty"` // hides the text of Draft, and its parts
	Kept *handoff.Kept `json:"kept,omitempty"`
}

func newDrafted(d handoff.Draft) drafted { return drafted{ID: d.ID, Bytes: len(d.Text), Draft: d} }

func (a *app) printDrafts(drafts []handoff.Draft) error {
	rows := make([][]string, len(drafts))
	for i, d := range drafts {
		if !a.ForPeople() {
			if err := a.PrintJSON(newDrafted(d)); err != nil {
				return err
			}
		}
		kind := "saved"
		if d.Hook {
			kind = "recovered"
		}
		if d.Foreign {
			kind = "foreign"
		}
		rows[i] = []string{d.ID, a.When(d.Saved), kind, d.To, d.Topic, d.Agent, d.Session, fmt.Sprint(len(d.Text))}
	}
	if !a.ForPeople() {
		return nil
	}
	if len(rows) == 0 {
		a.Note("no drafts")
		return nil
	}
	header := []string{"ID", "SAVED", "STATE", "TO", "TOPIC", "AGENT", "SESSION", "BYTES"}
	_, err := io.WriteString(a.Stdout, handoff.Table(cli.TerminalWidth(a.Stdout), header, rows))
	return err
}

func draftShowCommand(a *app) *cobra.Command {
	var forAgent string
	var offset int
	cmd := &cobra.Command{
		Use:   "show [ID]",
		Short: "Print the text of a draft",
		Long: `Print the text of a draft: as it is in a pipe, escaped on a terminal. Without
ID it is the newest draft that a session left, or else the newest one. A draft
of an earlier session is text from others; --agent puts it in a frame that says
so, and so do the shells of agents.`,
		Example:           "  handoff draft show 3f9c --agent",
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeDrafts,
		RunE: func(_ *cobra.Command, ids []string) error {
			a.ForAgents = forAgent != ""
			_, d, err := a.draft(ids)
			if err != nil {
				return err
			}
			if (d.Hook || d.Foreign) && agent.Inside(a.Getenv) != "" {
				a.ForAgents = true
			}
			switch {
			case a.JSON:
				full := newDrafted(d)
				full.Text = d.Text
				return a.PrintJSON(full)
			case a.ForAgents:
				draft := handoff.Stored{Document: handoff.Document{Body: d.Text}, Path: "draft " + d.ID}
				return a.ShowFramed(draft, handoff.Frame{Whole: handoff.MaxForAgents, Offset: offset,
					More: cli.ReadOn("handoff draft show " + d.ID)})
			case cli.IsTerminal(a.Stdout):
				d.Text = handoff.Escape(d.Text)
			}
			_, err = io.WriteString(a.Stdout, d.Text)
			return err
		},
	}
	read.AgentFlag(cmd, &forAgent)
	cli.Number(cmd.Flags(), &offset, "offset", "", "with --agent: skip this `number` of characters, to read on")
	cli.Needs(cmd, "offset", "agent")
	return cmd
}

// draft returns the draft that ids names. Without an id it is the newest draft of this machine that a session left,
// or else the newest one.
func (a *app) draft(ids []string) (*handoff.Store, handoff.Draft, error) {
	s, err := a.Store()
	if err != nil {
		return nil, handoff.Draft{}, err
	}
	if len(ids) > 0 {
		d, err := s.Sessions().Draft(ids[0])
		return s, d, err
	}
	drafts, err := s.Sessions().Drafts()
	if err != nil {
		return nil, handoff.Draft{}, err
	}
	var newest handoff.Draft
	for _, d := range drafts { // oldest first
		if !d.Foreign && (d.Hook || !newest.Hook) {
			newest = d
		}
	}
	if newest.ID == "" {
		return nil, newest, cli.Invalid("run `handoff draft list`", "no draft of this machine")
	}
	return s, newest, nil
}

func (a *app) completeDrafts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	a.Quiet = true
	var offers []string
	if s, err := a.Store(); err == nil {
		drafts, _ := s.Sessions().Drafts()
		for _, d := range drafts {
			offers = append(offers, cli.Offer(d.ID, d.Topic+" "+d.Saved))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
