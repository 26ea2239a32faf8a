package universal

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Budget says how many tokens a document takes.
type Budget struct {
	Encoding string `json:"encoding"`
	Tokens   int    `json:"tokens"`
	AtLeast  bool   `json:"at_least,omitempty"` // Tokens is a lower bound: the document is too large to be worth counting
	Limit    int    `json:"limit"`
	Estimate int    `json:"estimate"` // a quarter of the characters
	Parts    []Part `json:"parts,omitempty"`
}

// A Part is one tier of the budget. More than one and a quarter times its limit is a warning.
type Part struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
	Limit  int    `json:"limit"`
}

// Encodings returns the ways to count tokens, the default first.
func Encodings() []string { return []string{O200k, CL100k, Chars4} }

// checkTokens counts the tokens of the document as JSON returns it, so that it does not matter how its
// text is set out.
func (d *Document) checkTokens(encoding string, r *Report) error {
	text := d.JSON()
	total, atLeast, err := count(encoding, text)
	if err != nil {
		return err
	}
	r.Budget = &Budget{Encoding: encoding, Tokens: total, AtLeast: atLeast, Limit: TokenBudget, Estimate: EstimateTokens(string(text))}
	if total > TokenBudget {
		least := ""
		if atLeast {
			least = "at least "
		}
		fail(r, "", "`handoff repair` compresses it", "the document takes %s%d tokens (%s), more than %d", least, total, encoding, TokenBudget)
	}
	d.checkCount(r)
	if atLeast {
		return nil
	}
	return d.checkTiers(encoding, r)
}

// count returns the number of tokens, or a lower bound for a text that exceeds the budget by its size alone.
func count(encoding string, src []byte) (n int, atLeast bool, err error) {
	if len(src) > TokenBudget*LongestToken && encoding != Chars4 {
		return (len(src) + LongestToken - 1) / LongestToken, true, nil
	}
	n, err = CountTokens(encoding, string(src))
	return n, false, err
}

// estimate looks at the size alone, which costs nothing: whoever stores a document should not wait for a vocabulary.
// What is certain to exceed the budget is a fault; what may is counted.
func (d *Document) estimate(r *Report) error {
	const most, sure = 2, 3 // of the estimate, as a multiple of the budget; bytes that a token takes where it takes few
	text := d.JSON()
	r.Budget = &Budget{Encoding: Chars4, Tokens: EstimateTokens(string(text)), Limit: TokenBudget, Estimate: EstimateTokens(string(text))}
	n, counted := r.Budget.Estimate, "a quarter of its characters"
	if n <= most*TokenBudget && len(text) > sure*TokenBudget {
		var err error
		if n, _, err = count(O200k, text); err != nil {
			return err
		}
		counted = O200k
	}
	if n > TokenBudget {
		fail(r, "", "`handoff repair` compresses it", "the document takes about %d tokens (%s), more than %d", n, counted, TokenBudget)
	}
	d.checkCount(r)
	return nil
}

// checkCount compares what the document says of its size with the estimates: the writer had no tokenizer, perhaps, and
// may have counted the characters or the bytes of the text as it is set out.
func (d *Document) checkCount(r *Report) {
	claimed := d.root.At(countPath)
	if !claimed.Is(jsontree.Number) {
		return
	}
	n, err := wholeNumber(claimed)
	near := slices.ContainsFunc([]int{r.Budget.Estimate, EstimateTokens(string(d.src)), len(d.src) / 4}, func(estimate int) bool { return !deviates(n, estimate) })
	if err != nil || !near {
		warn(r, countPath, "`handoff repair` counts again", "token_count %s is more than 30 %% away from the estimate %d", claimed, r.Budget.Estimate)
	}
}

// deviates reports whether the number is more than 30 % away from the estimate.
func deviates(n, estimate int) bool {
	difference := max(n-estimate, estimate-n)
	return difference*10 > estimate*3
}

// checkTiers counts each part by itself. Their sum is not the total: tokens cross the borders.
func (d *Document) checkTiers(encoding string, r *Report) error {
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
