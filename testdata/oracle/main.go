// Oracle asks gitleaks about texts, so that a test can compare. It is a module of its own: gitleaks brings
// more than sixty modules, which nobody who builds handoff should have to download.
//
// It reads a JSON array of texts and prints {"found": the rules that each text meets, "samples": texts that
// meet a rule, made from the expression of the rule}.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/detect"
)

type sample struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		return err
	}
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	answer := struct {
		Found   [][]string `json:"found"`
		Samples []sample   `json:"samples"`
	}{}
	for _, text := range texts {
		answer.Found = append(answer.Found, rules(d, text))
	}
	var ids []string
	for id := range d.Config.Rules {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	random := rand.New(rand.NewPCG(1, 2))
	for _, id := range ids {
		for range 20 {
			text, ok := generate(d.Config.Rules[id].Regex, random)
			text = "key: " + strings.Map(printable, text) + " \n"
			if ok && slices.Contains(rules(d, text), id) {
				answer.Samples = append(answer.Samples, sample{id, text})
			}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}

// rules returns the names of the rules that text meets.
func rules(d *detect.Detector, text string) []string {
	names := []string{}
	for _, f := range d.DetectString(text) {
		names = append(names, f.RuleID)
	}
	return names
}

// printable drops what a character class of an expression allows and no credential has.
func printable(r rune) rune {
	if r == '\n' || r >= ' ' && r <= '~' {
		return r
	}
	return -1
}
