package everyday

import (
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// record returns the source of a record, which is read once the store has found its machine.
func (in *input) record(name string, text []byte) (handoff.Source, error) {
	if in.whole == nil {
		return handoff.Source{}, errBeyond
	}
	if in.records == nil {
		fields, err := in.recorded()
		if err != nil {
			return handoff.Source{}, err
		}
		in.records = in.whole.Records(Input{in.App, fields, in.kind, in.allowEmpty, in.now})
	}
	return in.records(name, text), nil
}

// ProjectName is the project of records that name none.
func (a *App) ProjectName() string {
	p, err := a.Project()
	if err != nil {
		return "" // opening the store says why
	}
	return filepath.Base(p.Root)
}
