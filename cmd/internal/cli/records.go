package cli

import "github.com/seed-78daf238/handoff/lib/handoff"

// record returns the source of a record. The record is parsed later, after the store has checked its machine.
func (in *Input) record(f Fields, name string, text []byte) (handoff.Source, error) {
	if in.Full == nil {
		return handoff.Source{}, ErrBeyond
	}
	if in.records[f.To] == nil {
		fields, err := in.recorded(f)
		if err != nil {
			return handoff.Source{}, err
		}
		if in.records == nil {
			in.records = map[string]func(string, []byte) handoff.Source{}
		}
		in.records[f.To] = in.Full.Records(in, fields)
	}
	return in.records[f.To](name, text), nil
}
