//go:build linux

package disk

// StageNamed makes the tests stage with names, until it is called again.
func StageNamed(on bool) { canStageUnnamed = !on }

// Walk makes the tests open directories without openat2, until it is called again.
func Walk(on bool) { lacksBeneath.Store(on) }
