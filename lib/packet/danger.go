package packet

import (
	"regexp"
	"slices"
)

// A danger is text that asks for what cannot be undone, behind the back of the owner. Whether it was
// meant so is for people to say: an agent that reads it is not to do it because it says so.
var (
	// destroying are verbs where a clause asks for something, in folded text.
	destroying = lazy(`(^|\b(and|then|or|please|just|now|first|also|should|must|can|may|to|you) )(delete|drop|wipe|erase|destroy|purge|truncate|overwrite|nuke|reset|format|force push|push( \w+){0,5} force|force delete|remove|shut down|terminate|kill|discard)( |$)`)

	// unasked are the ways to keep the owner out of it.
	unasked = lazy(`\b(without (first |ever |any )*(asking|confirm\w*|approv\w*|permission|consent|warning|telling|a backup|backups?|review)|no need (to|for) (ask|confirm|approv|permission)\w*|(do not|dont|never) (ask|confirm|wait for (approval|confirmation|permission))|unasked|no questions asked|(nobody|no one) (needs|has) to (be asked|approve|confirm|know)|no (approval|confirmation|permission) (is )?(needed|required|necessary)|(approval|confirmation|permission) (is )?(not |un)(needed|required|necessary))\b`)

	giving = lazy(`\b(send|post|upload|e ?mail|mail|forward|share|paste|publish|leak|transmit|submit|reveal|exfiltrate|copy|push|give)\b.*\b(credentials?|passwords?|passphrases?|secrets?|(api|access|auth|bearer|session|secret|refresh) tokens?|(api|private|ssh|secret|access|signing|encryption) keys?|env file|cookies|id (rsa|dsa|ecdsa|ed25519)|netrc)\b`)
	resets = lazy(`\bpassword (reset|change|reminder|form)s?\b`) // what is sent there is none
	abroad = lazy(`(?i)\b(https?|ftp|wss?)://|[\w.+-]+@[\w-]+\.\w`)

	// guards are what keeps an agent from harm.
	unguarding = lazy(`(^|\b(and|then|please|just|now|first|also|should|must|can|to|you) )(turn off|switch off|disable|deactivate|suspend|bypass|circumvent)( (all|any|the|your|every|its|of))* (safeguards?|guardrails?|(permission|approval|confirmation) (prompts?|gates?|dialogs?)|audit (log|logs|logging|trail)|sandbox|safety (checks?|filters?)|content filters?|human (approval|review|oversight))\b`)

	// commands are matched against the text as it stands.
	commands = []func() *regexp.Regexp{
		lazy(`(?i)\b(curl|wget|iwr|invoke-webrequest)\b[^|\n]*\|\s*(sudo\s+)?(env\s+)?(ba|z|da|k|fi)?sh\b`),
		lazy(`(?i)\b(curl|wget)\b[^|\n]*\|\s*(sudo\s+)?(python3?|perl|ruby|node|iex)\b`),
		lazy(`(?i)\b(ba|z)?sh\s+(-c\s+["']?\$\(|<\()\s*(curl|wget)\b`),
		lazy(`\brm\s+(-\S+\s+)*-[a-zA-Z]*[rRf][a-zA-Z]*\s+(-\S+\s+)*["']?(/|~|\$HOME|\$\{HOME\})["']?/?\*?(\s|$|[;&|,.])`),
		lazy(`(?i)(\.ssh/|\bid_(rsa|dsa|ecdsa|ed25519)|\.aws/|\.netrc|/etc/shadow|/\.env)\b[^\n]*\|\s*(curl|wget)\b`),
		lazy(`(?i)\b(curl|wget)\b[^|\n]*(@|--post-file[= ])\S*(\.ssh/|\bid_(rsa|dsa|ecdsa|ed25519)|\.aws/|\.netrc|/etc/shadow|\.env)\b`),
		lazy(`\b(mkfs(\.\w+)?\s+/dev/|dd\s+[^\n]*\bof=/dev/(sd|nvme|hd|vd|xvd|disk))`),
	}
)

// isDangerous reports whether a text asks for something of the kind. "Never delete it without asking"
// does not.
func (p prose) isDangerous() bool {
	asks := func(form func() *regexp.Regexp) bool {
		return slices.ContainsFunc(p.clauses(), func(clause string) bool {
			clause = resets().ReplaceAllLiteralString(clause, "mail")
			at := form().FindStringIndex(clause)
			return at != nil && !forbidding().MatchString(clause[:at[0]])
		})
	}
	switch {
	case p.has("without|no need|no one|nobody|do not|dont|never|unasked|no questions|approval|confirmation|permission") &&
		unasked().MatchString(p.folded) && asks(destroying):
		return true
	case p.has("turn off|switch off|disable|deactivate|suspend|bypass|circumvent") && asks(unguarding):
		return true
	case containsAny(p.text, "://|@") && abroad().MatchString(p.text) && asks(giving):
		return true
	case !p.has("curl|wget|iwr|webrequest|rm|mkfs|dd"):
		return false
	}
	return slices.ContainsFunc(commands, func(form func() *regexp.Regexp) bool {
		at := form().FindStringIndex(p.text)
		return at != nil && !forbidding().MatchString(folded(p.text[:at[0]]))
	})
}

// forbidding matches what turns the rest of a clause around.
var forbidding = lazy(`\b(not|never|dont|nobody|no one|none|cannot|avoid|without|nothing|neither|nor|no|instead of)\b`)
