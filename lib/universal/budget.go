package universal

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Budget is the size of a document in tokens.
type Budget struct {
	Encoding string `json:"encoding"`
	Tokens   int    `json:"tokens"`
	AtLeast  bool   `json:"at_least,omitempty"` // Tokens is a lower bound, since the document is far too large
	Limit    int    `json:"limit"`
	Estimate int    `json:"estimate"` // a quarter of the characters
	Parts    []Part `json:"parts,omitempty"`
}

// A Part is the size of one tier. If it exceeds its limit by more than a quarter, there is a warning.
type Part struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
	Limit  int    `json:"limit"`
}

// Encodings returns the supported encodings, the default first.
func Encodings() []string { return []string{O200k, CL100k, Chars4} }

// checkTokens counts the tokens of the document as JSON returns it. The layout of its text does not matter.
func (d *Document) checkTokens(encoding string, r *Report) error {
	text := d.JSON()
	total, atLeast, err := count(encoding, text)
	if err != nil {
		return err
	}
	r.Budget = &Budget{Encoding: encoding, Tokens: total, AtLeast: atLeast, Limit: TokenBudget,
		Estimate: EstimateTokens(string(text))}
	if total > TokenBudget {
		least := ""
		if atLeast {
			least = "at least "
		}
		fail(r, "", "name files instead of including their content, or let `handoff record repair` compress it",
			"the document takes %s%d tokens (%s), more than %d",
			least, total, encoding, TokenBudget)
	}
	d.checkCount(r)
	return nil
}

// count returns the number of tokens. For a text that exceeds the budget by its size alone, it returns a lower
// bound.
func count(encoding string, src []byte) (n int, atLeast bool, err error) {
	if len(src) > TokenBudget*LongestToken && encoding != Chars4 {
		return (len(src) + LongestToken - 1) / LongestToken, true, nil
	}
	n, err = CountTokens(encoding, string(src))
	return n, false, err
}

// quickEncoding returns the encoding with which a document is counted when it is stored: a quarter of the characters,
// which loads no vocabulary, unless that leaves it open whether the document exceeds the budget.
func (d *Document) quickEncoding() string {
	const most, sure = 2, 3 // the factor by which an estimate certainly exceeds the budget; bytes of a short token
	text := d.JSON()
	if EstimateTokens(string(text)) <= most*TokenBudget && len(text) > sure*TokenBudget {
		return O200k
	}
	return Chars4
}

// checkCount compares token_count with the estimates. The writer may have had no tokenizer, and counted the
// characters or bytes of the text as written.
func (d *Document) checkCount(r *Report) {
	claimed := d.root.At(countPath)
	if !claimed.Is(jsontree.Number) {
		return
	}
	n, err := wholeNumber(claimed)
	near := slices.ContainsFunc([]int{r.Budget.Estimate, EstimateTokens(string(d.src)), len(d.src) / 4},
		func(estimate int) bool { return !deviates(n, estimate) })
	if err != nil || !near {
		hint := "`handoff record repair` counts again"
		if deviates(min(r.Budget.Estimate, TokenBudget), r.Budget.Estimate) {
			hint = "name files instead of including their content: the largest token_count is too low for this document"
		}
		warn(r, countPath, hint,
			"token_count %s differs from the estimate %d by more than 30 %%", claimed, r.Budget.Estimate)
	}
}

// deviates reports whether a number differs from the estimate by more than 30 %.
func deviates(n, estimate int) bool {
	difference := max(n-estimate, estimate-n)
	return difference*10 > estimate*3
}

// checkTiers counts each tier by itself. The sum differs from the total, since tokens cross the borders.
func (d *Document) checkTiers(encoding string, r *Report) error {
	if r.Budget.AtLeast {
		return nil
	}
	for _, tier := range known().Tiers {
		var text []byte
		for _, path := range tier.Paths {
			if v := d.root.At(path); v != nil {
				text = append(jsontree.AppendQuoted(text, path[len(above(path))+1:]), ':')
				text = v.Append(text)
			}
		}
		n, err := CountTokens(encoding, string(text))
		if err != nil {
			return err
		}
		r.Budget.Parts = append(r.Budget.Parts, Part{Name: tier.Name, Tokens: n, Limit: tier.Limit})
		if n*4 > tier.Limit*5 {
			warn(r, tier.Paths[0], "", "%s takes %d tokens, more than its share of %d", tier.Name, n, tier.Limit)
		}
	}
	return nil
}
