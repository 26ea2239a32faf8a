package universal

import (
	"strconv"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Tokens estimates the tokens of a text: a quarter of its characters, rounded down.
func Tokens(text []byte) int { return utf8.RuneCount(text) / 4 }

// estimate returns the token_count of a document, which is part of the document. It is at most TokenBudget.
func estimate(root *jsontree.Value) (n int) {
	root = root.Clone()
	for range 3 { // later rounds settle its number of digits
		set(root, countPath, n)
		n = min(Tokens(root.Append(nil)), TokenBudget)
	}
	return n
}

// checkTokens counts the tokens of the compact document. The layout of its text does not matter.
func (d *Document) checkTokens(r *Report) {
	r.Tokens = Tokens(d.JSON())
	if r.Tokens > TokenBudget {
		fail(r, "", "name files instead of including their content, or let `handoff validate --fix` compress it",
			"the document takes %d tokens, more than %d", r.Tokens, TokenBudget)
	}
	d.checkCount(r)
	d.checkTiers(r)
}

// checkCount compares token_count with the estimate.
func (d *Document) checkCount(r *Report) {
	claimed := d.root.At(countPath)
	if !claimed.Is(jsontree.Number) {
		return
	}
	if n, err := strconv.Atoi(claimed.String()); err != nil || deviates(n, r.Tokens) {
		warn(r, countPath, "`handoff validate --fix` counts again",
			"token_count %s differs from the estimate %d by more than 30 %%", claimed, r.Tokens)
	}
}

// deviates reports whether a number differs from the estimate by more than 30 %.
func deviates(n, estimate int) bool {
	difference := max(n-estimate, estimate-n)
	return difference*10 > estimate*3
}

// tiers are the shares of the parts of a document.
var tiers = []struct {
	name  string
	limit int
	paths []string
}{
	{"metadata", 100, []string{versionPath, "/handoff/schema_type", "/handoff/timestamp", "/handoff/expires_at",
		tracePath}},
	{"source and target", 50, []string{"/handoff/source", "/handoff/target"}},
	{"context", 200, []string{"/handoff/context"}},
	{"payload.working", 500, []string{workingPath}},
	{"payload.session", 800, []string{sessionPath}},
	{"payload.references", 200, []string{referencePath}},
	{"meta and tracing", 150, []string{"/handoff/meta", "/handoff/tracing"}},
}

// checkTiers counts each part by itself.
func (d *Document) checkTiers(r *Report) {
	for _, tier := range tiers {
		var text []byte
		for _, path := range tier.paths {
			if v := d.root.At(path); v != nil {
				text = v.Append(append(jsontree.AppendQuoted(text, last(path)), ':'))
			}
		}
		if n := Tokens(text); n*4 > tier.limit*5 {
			warn(r, tier.paths[0], "", "%s takes %d tokens, more than its share of %d", tier.name, n, tier.limit)
		}
	}
}
