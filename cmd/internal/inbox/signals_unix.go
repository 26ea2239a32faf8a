//go:build unix

package inbox

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// heed makes signals that would leave the terminal as it is go through the program, until stop is called. The program is told to
// quit: bubbletea's own handler ends it without waiting for who still reads the terminal.
func heed(p *tea.Program, m *model) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTSTP, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	m.suspend = func() tea.Msg { return tea.Exec(stopper{}, nil)() }
	go func() {
		for s := range signals {
			if s == syscall.SIGTSTP {
				go p.Send(suspendMsg{})
				continue
			}
			go p.Quit()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// A stopper is what runs in place of the program while it is stopped, and the terminal is as it was.
type stopper struct{}

func (stopper) SetStdin(io.Reader)  {}
func (stopper) SetStdout(io.Writer) {}
func (stopper) SetStderr(io.Writer) {}

// Run stops the process group. The signal is one that stops, that is not delivered where no shell could go on with the group,
// and that the program has not asked for: the runtime keeps SIGTSTP for good.
func (stopper) Run() error {
	err := syscall.Kill(0, syscall.SIGTTIN)
	time.Sleep(50 * time.Millisecond) // another thread may be the one that is told to stop
	return err
}
