package inbox

import (
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
)

// watchSignals makes an interrupt end the program properly, until stop is called. Windows has no suspension.
func watchSignals(p *tea.Program, m *model) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		for range signals {
			m.ended.Store(true)
			go p.Quit()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
