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

// watchSignals restores the terminal before a signal ends or stops the program, until stop is called. It tells the
// program to quit, since bubbletea's own handler does not wait for readers of the terminal.
func watchSignals(p *tea.Program, m *model) (stop func()) {
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

// A stopper suspends the program while the terminal is released.
type stopper struct{}

func (stopper) SetStdin(io.Reader)  {}
func (stopper) SetStdout(io.Writer) {}
func (stopper) SetStderr(io.Writer) {}

// Run stops the process group. It uses a stop signal that has no effect if no shell can continue the group, and
// that the program has not requested: the runtime keeps SIGTSTP forever.
func (stopper) Run() error {
	err := syscall.Kill(0, syscall.SIGTTIN)
	time.Sleep(50 * time.Millisecond) // the signal can stop another thread first
	return err
}
