//go:build unix

package inbox

import (
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
	m.suspend = func() tea.Msg { return tea.Exec(&composing{run: stopGroup}, nil)() }
	go func() {
		for s := range signals {
			form := m.form.Load()
			if s == syscall.SIGTSTP {
				go p.Send(suspendMsg{})
			} else if form == nil || form.SetReadDeadline(time.Now()) != nil || s != syscall.SIGINT {
				m.ended.Store(true)
				go p.Quit() // otherwise the questions of the form end, and the editor is not disturbed
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// stopGroup stops the process group, while the terminal is released. It uses a stop signal that has no effect if no
// shell can continue the group, and that the program has not requested: the runtime keeps SIGTSTP forever.
func stopGroup(*composing) error {
	err := syscall.Kill(0, syscall.SIGTTIN)
	time.Sleep(50 * time.Millisecond) // the signal can stop another thread first
	return err
}
