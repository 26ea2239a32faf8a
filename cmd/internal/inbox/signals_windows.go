package inbox

import (
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
)

// heed makes an interrupt end the program in order, until stop is called. There is nothing to be suspended for.
func heed(p *tea.Program, _ *model) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		for range signals {
			go p.Quit()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
