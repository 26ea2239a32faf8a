package form

// foreignPatterns are phrases in other languages that cancel earlier instructions. Expressions are written normally
// and folded before use; keys are unchanged by folding. A verb whose imperative looks like a report must begin a
// clause.
var foreignPatterns = []*pattern{
	{label: RoleSwitch, written: true, keys: []string{"ignorier", "vergiss", "vergess", "missacht"}, // German
		expr: begins + `(ignorier(e|t|en sie)|vergiss|vergesst|vergessen sie|missachte)` + between +
			`((vorherig|bisherig|vorig|obig|früher|vorangegangen|vorstehend)en? (anweisung|instruktion|vorgabe|befehl|regel)|alles (bisherige|vorherige|obige))`},
	// French, Spanish, Italian, Portuguese
	{label: RoleSwitch, written: true, keys: []string{"ignor", "oubli", "olvid", "dimentic", "esque", "desconsider",
		"descart"},
		expr: begins + `(ignor[ea][zrd]?|ignorate|oublie[zr]?|olvid[ae]d?|dimenticat?e?|esque[çc]am?|desconsidere|descart[ae])` + between +
			`((instru[cçz]|istru|consigne|directive|directiv|indica[cz]|[óo]rden)[^ \n]*( [^ \n]+)? (pr[ée]c[ée]dent|ant[ée]rior|anterior|ant[ée]rieur|pr[ée]via|ci-dessus|sopra|acima|arriba)` +
			`|tout ce qui pr[ée]c[èe]de|todo lo anterior|tutto quanto sopra|tudo acima)`},
	{label: RoleSwitch, written: true, keys: []string{"negeer", "vergeet"}, // Dutch
		expr: begins + `(negeer|vergeet)` + between +
			`(vorige|eerdere|voorgaande|bovenstaande) (instructie|aanwijzing|opdracht)`},
	{label: RoleSwitch, written: true, keys: []string{"ignoruj", "zapomnij"}, // Polish
		expr: `(ignoruj|zapomnij)` + between + `(poprzedni|wcze[śs]niejsz|powy[żz]sz)[^ \n]* (instrukcj|polece)`},
	{label: RoleSwitch, written: true, keys: []string{"talimat", "komut", "nerge"}, // Turkish
		expr: `([öo]nceki|yukar[ıi]daki)` + between +
			`(talimat|komut|y[öo]nerge)[^ \n]* (yok say|unut|g[öo]rmezden gel|g[öo]z ard[ıi] et|dikkate alma)`},
	{label: RoleSwitch, written: true, keys: []string{"гн", "дь"}, // Russian, Ukrainian
		expr: `([иі]гноруй|игнорируй|забудь)(те)?` + between +
			`(предыдущ|прежн|прошл|вышеуказан|попередн)[^ \n]* (инструкц|інструкц|указан|вказів|команд)`},
	// Chinese; 了 marks the past
	{label: RoleSwitch, written: true, keys: []string{"忽略", "忽视", "忽視", "无视", "無視", "忘记",
		"忘記"},
		expr: `(忽略|忽视|忽視|无视|無視|忘记|忘記)[^。\n了]{0,8}(之前|以前|先前|上面|以上|前面|此前)[^。\n]{0,6}(指令|命令|提示词|指示([^灯燈]|$))`},
	{label: RoleSwitch, written: true, keys: []string{"無視", "忘れ"}, // Japanese
		expr: `(以前|これまで|今まで|上記|前)の[^。\n]{0,6}(指示|命令|プロンプト)[^。\n]{0,6}((無視し|忘れ)て(ください|下さい|[、。\n]|$)|無視せよ|無視しろ|無視しなさい|忘れろ)`},
	{label: RoleSwitch, written: true, keys: []string{"무시", "잊어"}, // Korean
		expr: `(이전|앞선|위의|지금까지)[^.\n]{0,10}(지시|명령|지침)[^.\n]{0,6}(무시하(세요|고|라|십시오|시오)|무시해|잊어)`},
	{label: RoleSwitch, written: true, keys: []string{"تجاهل", "انس"}, // Arabic
		expr: `(تجاهل|انس)` + between + `(التعليمات|الأوامر|التوجيهات)( [^ \n]+)? (السابقة|أعلاه)`},
}

const (
	begins  = `(^|[\n.!?:;,>*"'()-] ?|\b(bitte|por favor|per favore|und|et|y|e) )`
	between = `( [^ \n]+){0,3} ` // words
)
