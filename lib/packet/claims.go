package packet

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/render"
)

// A Claim is text of an artifact that claims authority over its own check.
type Claim struct {
	Pointer string `json:"pointer"`
	Text    string `json:"text"` // escaped and cut
}

// verdictFields are names of members that only a check may write.
var verdictFields = []string{
	"classification", "verdict", "check_summary", "checks", "schema_ok", "freshness_ok", "token_ok", "replay_ok",
	"replay_test", "schema_check", "escalation", "recovery_steps", "trusted", "verified", "override", "exit_code",
}

// What a claim may be made about. The words stand in a form where folded text has one space between words.
const artifact = `(packet|handoff|hand off|record|artifact|document|token|report|result|classification)`

// claimForms are matched against folded text. They are a label for people, not the defence: the verdict
// does not depend on them but to get worse. Text without one of the needs cannot match its form.
var claimForms = []struct {
	needs string
	form  func() *regexp.Regexp
}{
	{"clean|trusted|passed|passing|verified|safe|valid",
		lazy(`\b(classify|mark|treat|report|consider|rate|label|accept|declare|grade|flag|regard|count)( (this|it|the|that|these|all|my|our|me))?( ` + artifact + `)?( (as|to be|is|being))? (clean|trusted|passed|passing|verified|safe to resume|fully valid)\b`)},
	{"ignore|skip|bypass|disable|override|disregard|suppress|waive",
		lazy(`\b(ignore|skip|bypass|disable|override|disregard|suppress|waive)( (all|any|the|these|those|this|every|each|your|previous|prior|above|further|remaining|other|schema|freshness|staleness|token|replay|integrity|handoff|packet|safety|security|policy|resume))* (checks?|instructions?|rules?|safeguards?|guardrails?|validations?|verification|freshness|staleness|replay|replay tests?|classification|polic(y|ies)|age limit)\b`)},
	{"approved|verified|validated|trusted|clean|safe|authori|exempt",
		lazy(`\b(this|the|my) ` + artifact + ` (is|was|has been|are)( (already|pre|fully|known|to be|considered))* (approved|verified|validated|trusted|clean|safe|authorized|authoritative|exempt)\b`)},
	{"approved|verified|validated|authorized",
		lazy(`\b(pre ?approved|pre ?verified|pre ?validated|pre ?authorized|already (approved|verified|validated)) (by (the )?(system|operator|administrator|admin|checker|policy)|` + artifact + `)\b`)},
	{"no need|no reason|do not|dont|never",
		lazy(`\b(no need to|no reason to|do not|dont|never) (check|verify|validate|question|distrust)( (this|the|any))? (packet|handoff|token|freshness|age|replay)\b`)},
	{"clean",
		lazy(`\b(classification|verdict)( (is|must be|should be|has to be|equals))? clean\b`)},
	{"override",
		lazy(`\b(system|admin|administrator|developer|operator) override\b`)},
	{"you are|you have|you were",
		lazy(`\byou (are|have been|were) (now )?(authorized|instructed|required|allowed|permitted) to (resume|accept|skip|proceed|classify|ignore|bypass|approve)\b`)},
}

// claims looks through every text of the artifact, also names of members.
func (c *checking) claims(texts []Passage) {
	for _, t := range texts {
		if claimsAuthority(t.Text) {
			c.claim(t.Pointer, t.Text)
		}
	}
}

// claim reports one text. It is quoted for people and followed by nobody.
func (c *checking) claim(pointer, text string) {
	if len(c.report.Claims) < maxListed {
		c.report.Claims = append(c.report.Claims, Claim{cut(show(pointer)), quote(text)})
	}
	c.atLeast(Operational)
	c.step("Read the text that claims authority over this check, with its sender; it was not obeyed.")
}

// claimsAuthority reports whether a text tells its reader what the verdict is, or to drop the checks.
func claimsAuthority(text string) bool {
	if slices.Contains(render.Flags(text), render.RoleSwitch) {
		return true
	}
	f := folded(text)
	for _, c := range claimForms {
		needed := func(need string) bool { return strings.Contains(f, need) }
		if !slices.ContainsFunc(strings.Split(c.needs, "|"), needed) {
			continue
		}
		for _, at := range c.form().FindAllStringIndex(f, -1) {
			if !negated(f[:at[0]]) {
				return true
			}
		}
	}
	return false
}

// negated says whether what follows is asked not to be done, as in "do not skip the checks".
func negated(before string) bool {
	last := before[strings.LastIndexByte(strings.TrimRight(before, " "), ' ')+1:]
	return slices.Contains([]string{"not", "never", "dont", "without", "cannot"}, strings.TrimSpace(last))
}
