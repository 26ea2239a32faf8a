package write

import (
	"cmp"
	"context"
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command/agents"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type draftFlags struct {
	cli.Fields
	*cli.Gate
	Hook           bool // the report of an agent about its session
	Agent, Session string
}

func saveDraft(a *cli.App, f *draftFlags, files []string) error {
	if f.Hook {
		agents.SaveDraft(a, cmp.Or(f.Agent, "plain"))
		return nil
	}
	text, err := draftInput(a, files)
	if err != nil {
		return err
	}
	_, s, err := a.NewStore()
	if err != nil {
		return err
	}
	d, err := s.Sessions().SaveDraft(context.Background(), handoff.Draft{Agent: f.Agent, Session: f.Session,
		Document: handoff.Document(f.Fields), Text: string(text)})
	if err != nil {
		return err
	}
	return a.Did(newDrafted(d), "saved the draft "+d.ID)
}

func draftInput(a *cli.App, files []string) ([]byte, error) {
	if len(files) == 0 || files[0] == "-" {
		return cli.ReadAll(a.Stdin, "standard input", cli.MaxInput)
	}
	return cli.ReadInput(files[0])
}

func listDrafts(a *cli.App, _ *cli.None, _ []string) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	drafts, err := s.Sessions().Drafts()
	if err != nil {
		return err
	}
	return printDrafts(a, drafts)
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

func printDrafts(a *cli.App, drafts []handoff.Draft) error {
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
	return a.Print(a.Table("ID SAVED STATE TO TOPIC AGENT SESSION BYTES", rows))
}

type showDraftFlags struct {
	Agent  string `one:"agents" bare:"plain"`
	Offset int    `needs:"agent"`
}

func showDraft(a *cli.App, f *showDraftFlags, ids []string) error {
	a.ForAgents = f.Agent != ""
	_, d, err := draft(a, ids)
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
		return a.ShowFramed("", draft, handoff.Frame{Whole: handoff.MaxForAgents, Offset: f.Offset,
			More: cli.ReadOn("handoff draft show " + d.ID)})
	case cli.IsTerminal(a.Stdout):
		d.Text = handoff.Escape(d.Text)
	}
	return a.Print(d.Text)
}

// draft returns the draft that ids names. Without an id it is the newest draft of this machine that a session left,
// or else the newest one.
func draft(a *cli.App, ids []string) (*handoff.Store, handoff.Draft, error) {
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
