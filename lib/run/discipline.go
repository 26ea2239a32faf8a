package run

import "fmt"

// Warnings says, before a draft is sealed, what a run leaves undone at its end: flags of the
// self-audit that are false and why, a status that the results contradict, and what was carried into
// it and is not named. None of it makes the record invalid. The texts quote the record, escaped.
func (d Draft) Warnings(allowed []string, carried Carried) []string {
	r, review := d.Record, Review{Scanned: true, Allowed: allowed, Carried: Assumptions(carried.Assumptions)}
	var all []string
	warn := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, f := range flags {
		if problem := f.problem(r, review); problem != "" {
			warn("%s is false: %s", f.name, problem)
		}
	}
	for _, c := range r.CommandsAndValidation {
		if c.Result == "failed" && r.Status == "completed" {
			warn("the status is completed, but \"%s\" failed", show(c.Command))
		}
	}
	if r.Status == "completed" && len(r.CompletedActions) == 0 {
		warn("the status is completed, but no completed action is named")
	}
	if r.Status != "completed" && len(r.NextSteps) == 0 {
		warn("the status is %s, but no next step says how to go on", r.Status)
	}
	return append(all, d.unnamed(carried)...)
}

// unnamed warns about what was carried and is not named, and about resolved debt that nothing carried.
func (d Draft) unnamed(carried Carried) []string {
	var all []string
	named, known := map[string]bool{}, map[string]bool{}
	for _, a := range d.Record.Assumptions {
		named[oneSpace(a.Statement)] = true
	}
	for _, a := range carried.Assumptions {
		if !named[oneSpace(a.Statement)] {
			all = append(all, fmt.Sprintf("the assumption \"%s\" of task \"%s\" is still open: was it promoted, refuted, or is it carried forward?", show(a.Statement), show(a.TaskID)))
		}
	}
	for _, debt := range d.Record.ContextDebt {
		named[oneSpace(debt.Summary)] = true
	}
	for _, debt := range carried.Debt {
		if known[oneSpace(debt.Summary)] = true; !named[oneSpace(debt.Summary)] {
			all = append(all, fmt.Sprintf("the context debt \"%s\" of task \"%s\" is still open", show(debt.Summary), show(debt.TaskID)))
		}
	}
	for _, debt := range d.Record.ContextDebt {
		if debt.State == "resolved" && !known[oneSpace(debt.Summary)] {
			all = append(all, fmt.Sprintf("no open context debt of the project is called \"%s\", so nothing is resolved by it", show(debt.Summary)))
		}
	}
	return all
}
