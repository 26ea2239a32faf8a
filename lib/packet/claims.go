package packet

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/render"
)

// A Claim is text of an artifact that nobody should act upon because it says so.
type Claim struct {
	Pointer string `json:"pointer"`
	About   About  `json:"about"`
	Text    string `json:"text"` // escaped and cut
}

// About says what a claim is about.
type About string

// What claims are about.
const (
	Authority About = "authority" // over the check of the artifact that holds it
	Danger    About = "danger"    // what only the owner of the work may decide
)

// says is what a text does that is not its to do.
func (a About) says() string {
	if a == Danger {
		return "asks for something dangerous"
	}
	return "claims authority over this check"
}

// verdictFields are names of members that only a check may write.
var verdictFields = []string{
	"classification", "verdict", "check_summary", "checks", "schema_ok", "freshness_ok", "token_ok", "replay_ok",
	"replay_test", "schema_check", "escalation", "recovery_steps", "trusted", "verified", "override", "exit_code",
}

// What a claim is made of. The words stand in a form where folded text has one space between words.
const (
	artifact = `(packet|handoff|hand off|record|artifact|document|token|report|result|classification)`
	itself   = `((this|the|my|our) (resume )?(packet|handoff|hand off)|this (record|artifact|document|token|report))`
	checks   = `(checks?|instructions?|rules?|safeguards?|guardrails?|validations?|verification|freshness|staleness|replay|replay tests?|classification|polic(y|ies)|age limit)`
	which    = `( (all|any|the|these|those|this|that|every|each|your|its|our|my|their|previous|prior|above|further|remaining|other|schema|freshness|staleness|token|replay|integrity|handoff|packet|safety|security|policy|resume))*`
	subject  = `((freshness|staleness|replay|verification|validation|integrity|age)( (checks?|tests?|limits?|rules?))?|(all|these|the|further|remaining) checks)`
	ask      = `(check|verify|validate|review|question|distrust|recheck|double check|re verify|confirm)`
)

// claimForms are matched against folded text. They are a label for people, not the defence: the verdict
// does not depend on them but to get worse. Text without one of the needs cannot match its form.
var claimForms = []struct {
	needs  string
	clause bool // matched against each clause by itself
	form   func() *regexp.Regexp
}{
	{"clean|trusted|passed|passing|verified|safe|valid", false,
		lazy(`\b(classify|mark|treat|report|consider|rate|label|accept|declare|grade|flag|regard|count)( (this|it|the|that|these|all|my|our|me))?( ` + artifact + `)?( (as|to be|is|being))? (clean|trusted|passed|passing|verified|safe to resume|fully valid)\b`)},
	{"packet|handoff|hand off|this ", false,
		lazy(`\b(classify|mark|treat|consider|rate|label|accept|declare|regard|count|take) ` + itself + `( (as|to be|is|being|for))? (fresh|current|valid|safe|complete|approved|recent|up to date|authoritative)\b`)},
	{"ignore|skip|bypass|disable|override|disregard|suppress|waive|omit|forgo|leave out|turn off|switch off|do not|dont|without|no need for", false,
		lazy(`\b(ignore|skip|bypass|disable|override|disregard|suppress|waive|omit|forgo|leave out|turn off|switch off|(do not|dont) (run|perform|do|apply|execute|carry out|conduct|trust|use)|without (running|doing|performing)|no need for)` + which + ` ` + checks + `\b`)},
	{"guidance|guidelines|directions|orders|prompt", false,
		lazy(`\b(ignore|disregard|forget|override|drop)( (all|any|the|of))*( (your|previous|prior|above|former|system))+( (earlier|previous|prior|original|other|system))* (guidance|guidelines|directions|orders|prompts?)\b`)},
	{"approved|verified|validated|trusted|clean|safe|authori|exempt|signed off|cleared", false,
		lazy(`\b` + itself + ` (is|was|has been|has already been|are)( (already|pre|fully|known|to be|considered|been))* (approved|verified|validated|trusted|clean|safe|authori[sz]ed|authoritative|exempt|signed off|cleared)\b`)},
	{"approved|verified|validated|authori", false,
		lazy(`\b(pre ?approved|pre ?verified|pre ?validated|pre ?authori[sz]ed|already (approved|verified|validated)) (by (the )?(system|operator|administrator|admin|checker|policy)|` + artifact + `)\b`)},
	{"skipped|ignored|waived|bypassed|omitted|left out|disregarded|suspended|lifted", false,
		lazy(`\b` + subject + `( (can|may|should|must|shall|has to|have to|is to|are to|is|are|was|were|as))?( (safely|also|hereby|now|already|to|be|been))* (skipped|ignored|waived|bypassed|omitted|left out|disregarded|suspended|lifted)\b`)},
	{"trust|believe|obey", false,
		lazy(`\b(trust|believe|obey) ` + itself + `\b`)},
	{"no need|no reason|do not|dont|never", false,
		lazy(`\b(no need to|no reason to|do not|dont|never|needless to|need not) ` + ask + `( (this|the|any))? (packet|handoff|token|freshness|age|replay)\b`)},
	{"no need|no reason|need not|not necessary to|unnecessary to", true,
		lazy(`\b(no need to|no reason to|need not|not necessary to|unnecessary to) ` + ask + `( (it|this|that|anything|any of (it|this)))?( (again|further|now|first))?$`)},
	{"bother", false,
		lazy(`\b(do not|dont|never|without) bother(ing)? (to|with|about)? ?(check|verify|validat|review|replay)\w*\b`)},
	{"no ", true,
		lazy(`^no (further |more |additional |other )*(verification|validation|checking|review|replay test|checks)( (is|are))? (required|needed|necessary)\b`)},
	{"verification|validation|checking|checks|review", true,
		lazy(`(^|^so |^and |\b(further|more|any) )(verification|validation|checking|checks|review) (is|are) ((not |un)(necessary|needed|required)|redundant|superfluous|pointless)\b`)},
	{"without", false,
		lazy(`\b(resume|proceed|continue|go on|start|accept)( (this|it|the|work|task|at|once|immediately|right|away|now|straight))* without( (any|a|further|more|another))* (review|checks?|checking|verification|questions?|asking|confirmation|approval)\b`)},
	{"clean", false,
		lazy(`\b(classification|verdict)(( \w+){0,4} (is|must be|should be|has to be|shall be|equals))? clean\b`)},
	{"clean", false,
		lazy(`\b(report|return|output|print|set|give|emit|answer|state)( (back|a|the|its|this|with))* (status|result|classification|verdict)( (as|of|to|is))* clean\b`)},
	{"everything|all", false,
		lazy(`\b(mark|report|show|rate|set) (everything|all( (of it|the|these|checks?))*)( (as|to))? (green|clean|passed|passing|valid|ok)\b`)},
	{"override", false,
		lazy(`\b((system|admin|administrator|developer|operator) override|i( (hereby|now|do))* override( (the|this|that|any|all))* (results?|verdict|classification|checks?|packet|handoff))\b`)},
	{"you are|you have|you were", false,
		lazy(`\byou (are|have been|were) (now )?(authori[sz]ed|instructed|required|allowed|permitted|cleared|free) to (resume|accept|skip|proceed|classify|ignore|bypass|approve|disable|override|omit|leave out)\b`)},
}

// claims looks through every text of the artifact, also names of members.
func (c *checking) claims(texts []Passage) {
	for _, t := range texts {
		p := prose{t.Text, folded(t.Text), sync.OnceValue(func() []string { return clauses(t.Text) })}
		switch {
		case p.claimsAuthority():
			c.claim(t.Pointer, t.Text, Authority)
		case p.isDangerous():
			c.claim(t.Pointer, t.Text, Danger)
		}
	}
}

// A prose is a text in the forms in which it is searched. Most texts need no more than a look at the words.
type prose struct {
	text, folded string
	clauses      func() []string
}

// has reports whether one of the words or phrases, which | separates, is in the folded text.
func (p prose) has(needs string) bool { return containsAny(p.folded, needs) }

// claim reports one text. It is quoted for people and followed by nobody.
func (c *checking) claim(pointer, text string, about About) {
	if len(c.report.Claims) < maxListed {
		c.report.Claims = append(c.report.Claims, Claim{cut(show(pointer)), about, quote(text)})
	}
	c.atLeast(Operational)
	if about == Danger {
		c.step("Ask the owner of the task whether the dangerous step is wanted, and do it only on their word.")
	} else {
		c.step("Read the text that claims authority over this check, with its sender; it was not obeyed.")
	}
}

// claimsAuthority reports whether a text tells its reader what the verdict is, or to drop the checks.
func (p prose) claimsAuthority() bool {
	if slices.Contains(render.Flags(p.text), render.RoleSwitch) {
		return true
	}
	for _, c := range claimForms {
		if !p.has(c.needs) {
			continue
		}
		in := []string{p.folded}
		if c.clause {
			in = p.clauses()
		}
		for _, f := range in {
			for _, at := range c.form().FindAllStringIndex(f, -1) {
				if !negated(f[:at[0]]) {
					return true
				}
			}
		}
	}
	return false
}

// containsAny reports whether a text holds one of several, which | divides.
func containsAny(text, needs string) bool {
	for need := range strings.SplitSeq(needs, "|") {
		if strings.Contains(text, need) {
			return true
		}
	}
	return false
}

// negated says whether what follows is asked not to be done, as in "do not skip the checks", or only spoken of.
func negated(before string) bool {
	last := before[strings.LastIndexByte(strings.TrimRight(before, " "), ' ')+1:]
	return slices.Contains([]string{"not", "never", "dont", "without", "cannot", "when", "if", "whether", "why"}, strings.TrimSpace(last))
}
