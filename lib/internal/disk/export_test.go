//go:build linux

package disk

// StageNamed has the tests stage as systems do that cannot stage without a name, until it is called again.
func StageNamed(on bool) { canStageUnnamed = !on }

// Walk has the tests open directories as systems do that lack openat2, until it is called again.
func Walk(on bool) { lacksBeneath.Store(on) }
