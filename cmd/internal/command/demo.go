package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// demoSteps are the commands of the demo: who runs each, and the words that follow it in quotes.
var demoSteps = []struct{ about, who, command, words string }{
	{"Ann sets up a project.", "ann", "init --yes", ""},
	{"She gives her work to Ben.", "ann", "write --to ben -m", "Tests are green. Deploy is next."},
	{"Ben sees what is unread.", "ben", "list --unread", ""},
	{"He takes it: now only he can work on it.", "ben", "take", ""},
	{"A part of it is for an agent.", "ben", "write --to claude -m", "Write the release notes of 1.4."},
	{"The agent reads it. Text from others is in a frame.", "claude", "read @ --agent", ""},
	{"It takes the handoff, and finishes it.", "claude", "take @", ""},
	{"", "claude", "done --note", "The notes are in NOTES.md."},
	{"Ben replies, and finishes.", "ben", "reply -m", "Deployed at noon."},
	{"", "ben", "done", ""},
	{"Ann sees the reply.", "ann", "status", ""},
}

func demoCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See two people and an agent pass work on, in 30 seconds",
		Long: `See two people and an agent pass work on, in a scratch project. Each command is
printed before it runs. The demo touches none of your files and settings, uses
no network, and removes the project at the end.`,
		Example: "  handoff demo",
		RunE:    func(*cobra.Command, []string) error { return demo(a) },
	}
}

func demo(a *cli.App) (err error) {
	dir, err := os.MkdirTemp("", "handoff-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Mkdir(filepath.Join(dir, "project"), 0o700); err != nil {
		return err
	}
	ctx, stop := a.Stoppable()
	defer stop()
	for _, step := range demoSteps {
		line, args := "handoff "+step.command, strings.Fields(step.command)
		if step.words != "" {
			line, args = line+" '"+step.words+"'", append(args, step.words)
		}
		about := ""
		if step.about != "" {
			about = "\n# " + step.about + "\n"
		}
		if err := a.Print(about + a.Styled(cli.Bold, step.who+"$ "+line) + "\n"); err != nil {
			return err
		}
		if err := a.InScratch(dir, step.who, args); err != nil {
			return err
		}
		if !cli.IsTerminal(a.Stdout) {
			continue
		}
		select {
		case <-time.After(demoPause):
		case <-ctx.Done():
			return errors.New("stopped; the scratch project is removed")
		}
	}
	return a.Print("\nThe scratch project is removed. In a project of yours, run `handoff init`.\n")
}

const demoPause = 2800 * time.Millisecond // so that each step can be read
