package form

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A pattern is one sign of a label.
type pattern struct {
	label    string
	squeezed bool     // match only the letters
	written  bool     // fold the expression, as the text is folded
	keys     []string // each match contains one of them
	expr     string

	once sync.Once
	re   *regexp.Regexp
}

// match reports whether text matches. The expression is compiled only when a text contains one of its keys, which is
// rare.
func (p *pattern) match(text string, keys map[string]bool) bool {
	if !slices.ContainsFunc(p.keys, func(key string) bool { return keys[key] }) {
		return false
	}
	p.once.Do(func() {
		expr := p.expr
		if p.written {
			expr = fold(expr)
		}
		p.re = regexp.MustCompile(expr)
	})
	return p.re.MatchString(text)
}

var patterns = slices.Concat(englishPatterns, foreignPatterns)

// englishPatterns match folded text: lower case, single spaces, no space after a newline; see fold. Each is narrow:
// labels on ordinary prose would teach people to ignore labels.
var englishPatterns = []*pattern{
	// Tool calls as tags: <function_calls>, < / x:invoke name=…>, <function=…>, <|python_tag|>, [TOOL_CALLS].
	{label: ToolCall, keys: []string{"function", "invoke", "tool"},
		expr: `<\s*/?\s*([a-z]+\s*:\s*)?(function_?(calls?|results?)|invoke|tool_?(calls?|use|results?|response|code)|function\s*=\s*[\w."'-]+)\b[^<>]{0,200}>`},
	{label: ToolCall, keys: []string{"python_tag", "tool", "call|>"},
		expr: `<\s*\|\s*(python_tag|call|/?tool_?[a-z_]*)\s*\|\s*>|\[\s*/?(tool_calls|tool_results|available_tools)\s*\]`},
	{label: ToolCall, keys: []string{"antml:", "to=functions.", "default_api.", "```tool_code"},
		expr: `\bantml:(invoke|function_calls|parameter)\b|\bto=functions\.\w|\bdefault_api\.\w+\s?\(|\x60{3}tool_code\b`},
	// Tool calls as JSON.
	{label: ToolCall, keys: []string{`"tool_`, `"function`, `"functions.`, `"tools/call"`},
		expr: `"(type|method|recipient_name)"\s*:\s*"(tool_use|tool_call|tool_result|function_call|tools/call|functions\.\w+)"|"(tool_calls|tool_uses)"\s*:\s*\[|"(function_?call|tool_use|tool_call)"\s*:\s*\{`},
	{label: ToolCall, keys: []string{`"arguments"`},
		expr: `"name"\s*:\s*"[^"\n]{1,100}"\s*,\s*"arguments"\s*:\s*["{]`},

	// Tokens between the turns of chat templates.
	{label: RoleSwitch, keys: []string{"|"},
		expr: `<\s*\|\s*/?(im_(start|end|sep)|system|user|assistant|developer|endoftext|endofprompt|eot_id|eom_id|(start|end)_header_id|(begin|end)_of_(text|sentence|turn)|start|end|message|channel|return)\s*\|\s*>`},
	{label: RoleSwitch, keys: []string{"inst", "sys", "_of_turn"},
		expr: `\[\s*/?\s*(inst|system_prompt)\s*\]|<\s*<\s*/?\s*sys\s*>\s*>|<\s*(start|end)_of_turn\s*>`},
	{label: RoleSwitch, keys: []string{"system", "assistant", "untrusted", "user_", "userrequest", "environment_context"},
		expr: `<\s*/?\s*(system[ _-](prompt|reminder|message|instructions?)|untrusted-content|user_(instructions|query)|userrequest|environment_context)\b[^<>]{0,200}>|<\s*/\s*(system|assistant)\s*>`},
	// Lines in another role.
	{label: RoleSwitch, keys: []string{"system", "developer"},
		expr: `(?m)^[\s>#*_|"'\x60\[\](-]{0,8}(system|developer)( prompt| message| note| override| instructions?)?[\])*_"'\x60]{0,3}\s?:[\s"'\x60*]{0,4}` +
			`(you\b|your\b|ignore\b|disregard\b|forget\b|override\b|from now on\b|new (system )?(instruction|prompt)|act as\b|always\b|never\b|(do not|don't) (tell|follow|obey|mention)|the (assistant|user|model|ai)\b|respond\b|reply\b|obey\b|as an? (ai|assistant)\b)`},
	{label: RoleSwitch, keys: []string{"assistant"},
		expr: `(?ms)^[\s>#*_-]{0,6}(human|user)[*_]{0,2}\s?:.*^[\s>#*_-]{0,6}assistant[*_]{0,2}\s?:`},
	{label: RoleSwitch, keys: []string{`"role"`},
		expr: `"role"\s*:\s*"(system|developer|assistant)"\s*,\s*"content"\s*:`},
	// Phrases that cancel earlier instructions, in one expression, because each pass is expensive.
	{label: RoleSwitch, squeezed: true,
		keys: []string{"ignor", "disregard", "forget", "overrid", "neglect", "donotfollow", "dontfollow", "donotobey", "stopfollowing"},
		expr: `(ignore|ignoring|disregard|disregarding|forget|forgetting|override|overriding|neglect|donotfollow|dontfollow|donotobey|stopfollowing)(` +
			of + `(previous|previously|prior|above|earlier|preceding|foregoing|system|original|initial|your)` +
			`(previous|prior|above|earlier|preceding|given|and|or|all|system|user|developer|safety|security)*(instruction|prompt|directive|guideline|direction)` +
			`|` + of + `(all|any|every|your)` + of + `(previous|prior|above|earlier|preceding|safety)(rule|command|order|constraint|context|message)` +
			`|` + of + `(instructions?|prompts?|directives?)(that|which)?(above|before|yougot|yougiven|youhave|youwere|youreceived|givento)` +
			`|(everything|anything|all|what|whatever)(that)?(you(were|havebeen|vebeen)(told|instructed|asked)|youknow|aboveand|aboveinstead))`},
	{label: RoleSwitch, keys: []string{"ignore", "disregard", "forget", "override"}, // a clause that only says "Disregard the above."
		expr: `(^|[\n.!?:;,>*"'()-] ?|\b(please|now|then|and|must|should|just|to)\s)(ignore|disregard|forget|override)\s((all|everything|anything|whatever|of|the|that|is|was|came|stands|written|said)\s)*` +
			`(above|previous|prior|preceding|foregoing|before)(\s(this|it|text|content|context|line|point|here))*(\s(and|instead|completely|entirely)\b|\s?([.!?;:,"')*\n]|$))`},
	{label: RoleSwitch, keys: []string{"you are", "you're"},
		expr: `\byou( are|'re) (now (dan\b|an? (different|` + lifted + `)\b|in (developer|god|jailbreak|unrestricted|dan) mode|no longer\b|free (from|of)\b)|no longer (an? (ai|assistant|language)|bound|restricted|subject)\b|not an? (ai|assistant|llm|(large )?language model)\b)`},
	{label: RoleSwitch, keys: []string{"from now on", "henceforth", "from this", "from here on", "starting now", "as of now", "going forward"},
		expr: `\b(from now on|henceforth|from this (point|moment|message)( on| onwards?| forward)?|from here on( out)?|starting now|as of now|going forward),?\syou('re| are| will be| shall be| become| act as| play)\s(now\s)?(dan([^\w']|$)|an?\s(\w+[\s,]+){0,2}(` + lifted + `)\b|in (developer|god|jailbreak|unrestricted|dan) mode)`},
	{label: RoleSwitch, keys: append(strings.Split(lifted, "|"), "you ha"),
		expr: `\b(you('re| are)|act(ing)? as|behave as|pretend(ing)? (to be|you( are|'re))|become|role-?play(ing)? as|simulate|imagine (being|you are))\s(an?|the)\s(\w+[\s,]+){0,2}(` + lifted + `)(\s|,|and)+(\w+[\s,]+){0,2}(ai|assistant|model|llm|chatbot|bot|agent|persona|entity|intelligence)\b` +
			`|\b(act|behave|respond|answer|reply|pretend) as (if|though) you (have|had) no (` + bounds + `)\b`},
	{label: RoleSwitch, keys: []string{"ai without", "ai with no", "ai free", "ai that", "ai who", "assistant", "llm", "chatbot", "language model", "persona"},
		expr: `\b(you('re| are| will be)|act(ing)? as|behave as|pretend to be|become|role-?play(ing)? as|simulate)\s(an?|the)\s(\w+[\s,]+){0,2}(ai|assistant|llm|chatbot|language model|persona)\s` +
			`(without|with no|that has no|who has no|free (of|from))\s(any\s|all\s)?(\w+\s(and|or)\s|ethical\s|moral\s|content\s|safety\s)?(` + bounds + `)\b`},
	{label: RoleSwitch, keys: []string{"instructions", "system", "from now on", "mode"},
		expr: `\byour new (instructions|directives|system prompt) ?(is|are|:)|\bnew system (prompt|message|instructions?) ?:|\bfrom now on,? you (must|will|shall) (obey|act|respond|reply|answer|behave|pretend)\b|\b(enter|enable|activate|switch to) (god|jailbreak|dan|unrestricted) mode\b` +
			`|\b(reveal|print|repeat|output|leak|show)( me)? your (hidden |full |entire |initial |secret )*(system prompt|developer message|instructions)`},
}

// lifted are words for an assistant without limits.
const lifted = `unrestricted|uncensored|unfiltered|unaligned|unchained|unmoderated|jailbroken|amoral|unethical|evil|rogue|malicious`

// bounds are words for the limits of an assistant.
const bounds = `rules|restrictions|filters?|guidelines|limits|limitations|ethics|boundaries|constraints|morals`

// of are the words that can be between the verb and its object.
const of = `(all|any|every|each|of|the|your|my|our|their|these|those|other)*`
