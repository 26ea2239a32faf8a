package secrets

// table holds every rule, the precise before the general. Forms are those that the providers document.
var table = []rule{
	{name: "private-key", keywords: []string{"-----BEGIN"}, good: keyMaterial,
		pattern: `(-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----` + gap + `*(?:[A-Z][A-Za-z-]{3,10}: [^\n\\]{0,128}` + gap + `+){0,4}` + keyLines +
			`(?:` + gap + `*-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----)?)`},
	{name: "private-key", keywords: []string{"PuTTY-User-Key-File-"}, good: keyMaterial,
		pattern: `(PuTTY-User-Key-File-[\s\S]*?Private-Lines: \d+` + gap + `+` + keyLines + `)`},
	{name: "age-key", keywords: []string{"AGE-SECRET-KEY-1"}, good: random(3),
		pattern: `(AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58})`},
	{name: "aws-access-key-id", keywords: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, good: random(2.7),
		pattern: `(A(?:KI|SI|BI|CC)A[A-Z2-7]{16})`},
	{name: "aws-secret-access-key", keywords: []string{"secret_access_key", "secretaccesskey", "aws_secret_key"}, fold: true, before: nameByte, good: random(3.8),
		pattern: `(?i:[a-z_]{0,24}(?:secret_?access_?key|aws_secret_key))` + assign + `([A-Za-z0-9/+]{40})`},
	{name: "aws-session-token", keywords: []string{"session_token", "sessiontoken"}, fold: true, before: nameByte, good: random(4),
		pattern: `(?i:[a-z_]{0,24}session_?token)` + assign + `([A-Za-z0-9/+]{200,}={0,2})`},
	{name: "github-token", keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, good: random(3),
		pattern: `(gh[pousr]_[A-Za-z0-9]{36,255})`},
	{name: "github-token", keywords: []string{"github_pat_"}, good: random(3),
		pattern: `(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})`},
	{name: "gitlab-token", keywords: []string{"glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-", "glft-", "glimt-", "glagent-", "gloas-", "glffct-", "GR1348941"}, good: random(3),
		pattern: `((?:gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent|oas|ffct)-|GR1348941)[A-Za-z0-9_-]{20,300}(?:\.[a-z0-9]{2}\.?[a-z0-9]{7,9})?)`},
	{name: "slack-token", keywords: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.", "xapp-"}, good: random(2.5),
		pattern: `((?:xox[abeoprs][-.]|xapp-)[A-Za-z0-9-]*\d[A-Za-z0-9.-]{18,400}[A-Za-z0-9])`},
	{name: "slack-webhook", keywords: []string{"hooks.slack.com/services/"}, good: random(3.5),
		pattern: `(hooks\.slack\.com/services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,32})`},
	{name: "stripe-key", keywords: []string{"sk_live_", "rk_live_"}, good: random(3),
		pattern: `([sr]k_live_[A-Za-z0-9]{16,247})`},
	{name: "stripe-key", keywords: []string{"whsec_"}, good: random(3),
		pattern: `(whsec_[A-Za-z0-9+/]{32,64}={0,2})`},
	{name: "anthropic-key", keywords: []string{"sk-ant-"}, good: random(3.5),
		pattern: `(sk-ant-[a-z]{2,8}\d{2}-[A-Za-z0-9_-]{60,200})`},
	{name: "openai-key", keywords: []string{"sk-proj-", "sk-svcacct-", "sk-admin-"}, good: random(3.5),
		pattern: `(sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,256})`},
	{name: "openai-key", keywords: []string{"sk-"}, good: random(3.5),
		pattern: `(sk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}))`},
	{name: "google-api-key", keywords: []string{"AIza"}, good: random(3),
		pattern: `(AIza[A-Za-z0-9_-]{35})`},
	{name: "google-oauth", keywords: []string{"GOCSPX-"}, good: random(3),
		pattern: `(GOCSPX-[A-Za-z0-9_-]{28})`},
	{name: "google-oauth", keywords: []string{"ya29."}, good: random(3.5),
		pattern: `(ya29\.[A-Za-z0-9_-]{30,})`},
	{name: "azure-key", keywords: []string{"AccountKey=", "SharedAccessKey="}, good: random(4),
		pattern: `(?:AccountKey|SharedAccessKey)=((?:[A-Za-z0-9+/]{86}==|[A-Za-z0-9+/]{43}=))`},
	{name: "azure-key", keywords: []string{"Q~"}, before: azureByte, good: random(3.5),
		pattern: `[A-Za-z0-9_~.]?([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})`},
	{name: "npm-token", keywords: []string{"npm_"}, good: random(3.2),
		pattern: `(npm_[A-Za-z0-9]{36})`},
	{name: "pypi-token", keywords: []string{"pypi-AgE"}, good: random(3.2),
		pattern: `(pypi-AgE[A-Za-z0-9_-]{60,1000})`},
	{name: "huggingface-token", keywords: []string{"hf_", "api_org_"}, good: random(3.2),
		pattern: `((?:hf|api_org)_[A-Za-z0-9]{34})`},
	{name: "model-provider-key", keywords: []string{"gsk_", "xai-", "pplx-", "r8_", "ABSK"}, good: random(3.2),
		pattern: `(gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|pplx-[A-Za-z0-9]{48}|r8_[A-Za-z0-9]{37}|ABSK[A-Za-z0-9+/]{109,269}={0,2})`},
	{name: "service-token", keywords: []string{"AKCp", "HRKU-AA", "LTAI", "NRAK-", "PMAK-", "dp.pt.", "dt0c01.", "figd_", "fm1a_", "fm1r_", "fm2_", "fo1_", "glc_",
		"lin_api_", "ntn_", "ops_eyJ", "pscale_", "pul-", "rdme_", "sbp_", "sgp_", "sha256~", "sntrys_eyJ", "sntryu_", "sq0atp-", "xkeysib-"}, good: random(3),
		pattern: `(AKCp[A-Za-z0-9]{69}|HRKU-AA[A-Za-z0-9_-]{58}|LTAI[A-Za-z0-9]{20}|NRAK-[A-Z0-9]{27}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|dp\.pt\.[A-Za-z0-9]{43}|` +
			`dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|figd_[A-Za-z0-9_-]{40}|fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}|glc_[A-Za-z0-9+/]{32,400}={0,3}|` +
			`lin_api_[A-Za-z0-9]{40}|ntn_\d{11}[A-Za-z0-9]{35}|ops_eyJ[A-Za-z0-9+/]{250,}={0,3}|pscale_(?:tkn|oauth|pw)_[A-Za-z0-9=._-]{32,64}|` +
			`pul-[a-f0-9]{40}|rdme_[a-z0-9]{70}|sbp_[a-f0-9]{40}|sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|sha256~[A-Za-z0-9_-]{43}|sntrys_eyJ[A-Za-z0-9+/=_]{80,500}|` +
			`sntryu_[a-f0-9]{64}|sq0atp-[A-Za-z0-9_-]{22,60}|xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16})`},
	{name: "service-token", keywords: []string{"pat"}, worth: hasDotAt17, good: random(3),
		pattern: `(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})`},
	{name: "service-token", keywords: []string{".atlasv1."}, before: nameOrDigit, good: random(3.5),
		pattern: `[A-Za-z0-9]?([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})`},
	{name: "sendgrid-key", keywords: []string{"SG."}, good: random(3.5),
		pattern: `(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})`},
	{name: "twilio-key", keywords: []string{"SK"}, good: random(2.8),
		pattern: `(SK[0-9a-f]{32})`},
	{name: "twilio-key", keywords: []string{"twilio"}, fold: true, good: random(2.8),
		pattern: `(?i:twilio[a-z_ .-]{0,20}(?:token|secret))` + assign + `([0-9a-f]{32})`},
	{name: "digitalocean-token", keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, good: random(2.8),
		pattern: `(do[opr]_v1_[0-9a-f]{64})`},
	{name: "databricks-token", keywords: []string{"dapi"}, good: random(2.8),
		pattern: `(dapi[0-9a-f]{32}(?:-\d)?)`},
	{name: "docker-token", keywords: []string{"dckr_pat_"}, good: random(3),
		pattern: `(dckr_pat_[A-Za-z0-9_-]{27})`},
	{name: "shopify-token", keywords: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, good: random(2.8),
		pattern: `(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})`},
	{name: "vault-token", keywords: []string{"hvs.", "hvb."}, good: random(3.2),
		pattern: `(hv[sb]\.[A-Za-z0-9_-]{24,300})`},
	{name: "rubygems-key", keywords: []string{"rubygems_"}, good: random(2.8),
		pattern: `(rubygems_[0-9a-f]{48})`},
	{name: "grafana-token", keywords: []string{"glsa_"}, good: random(3),
		pattern: `(glsa_[A-Za-z0-9]{32}_[0-9a-f]{8})`},
	{name: "telegram-token", keywords: []string{":AA"}, before: digitByte, good: random(3.2),
		pattern: `(\d{8,10}:AA[A-Za-z0-9_-]{33})`},
	{name: "jwt", keywords: []string{"eyJ"}, good: webToken,
		pattern: `(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{16,})`},
	{name: "authorization-basic", keywords: []string{"basic "}, fold: true, good: userPassword,
		pattern: `(?i:basic) +([A-Za-z0-9+/]{8,}={0,2})`},
	{name: "authorization-bearer", keywords: []string{"bearer "}, fold: true, good: opaque,
		pattern: `(?i:bearer) +([A-Za-z0-9._~+/-]{20,}=*)`},
	{name: "url-password", keywords: []string{"://"}, before: schemeByte, worth: hasUserinfo, good: realPassword,
		pattern: `[A-Za-z][A-Za-z0-9+.-]{1,23}://[^\s/:@"'<>\\` + "`" + `]{0,128}:([^\s/@"'<>\\` + "`" + `]{3,256})@[A-Za-z0-9\[]`},
}

// gap is white space, also as it is written inside a JSON string; keyLines are the lines of a key in
// base64, the last two of which may be short.
const (
	gap      = `(?:\s|\\+[rn])`
	line     = `[A-Za-z0-9+/=]`
	keyLines = line + `{40,}(?:` + gap + `+` + line + `{40,})*(?:` + gap + `+` + line + `{1,80}){0,2}`
)

// assign is what stands between a name and its value in shell, INI, YAML, JSON and JSON inside JSON.
const assign = `\\?["']?\s{0,3}(?:=|:|=>)\s{0,3}\\?["']?`
