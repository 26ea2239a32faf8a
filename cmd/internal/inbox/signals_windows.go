package inbox

import tea "charm.land/bubbletea/v2"

// heed does nothing: there is no such signal, and nothing to be suspended for.
func heed(*tea.Program, *model) (stop func()) { return func() {} }
