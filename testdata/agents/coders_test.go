package agents

import (
	"path/filepath"
	"regexp"
	"strings"
)

// A coder is a coding agent: how it is set up and what it is asked to do.
type coder struct {
	name, program string
	title         string
	role          string   // of the text of the session hook
	settings      string   // the file that install changes, below the home
	env           []string // @model stands for its address
	adds          string   // a pattern: what its shell adds to the output of a command, where that is a lot
	prepare       func(*desk)

	turn   func(prompt string) []string // a session of one turn
	resume func(prompt string) []string // goes on with it
	fork   func(d *desk) []string       // a session that goes on from another; nil if it has no such thing
	shell  func(command string) step    // the model runs a command

	mcp      func(*desk)           // registers `handoff mcp`
	open     func(*desk) *terminal // begins a session at a terminal
	compacts string                // the command at a terminal that compacts the session
	forgets  bool                  // it runs no hook after a compaction
	compact  func(*desk)           // has the session compacted; nil where that needs a terminal
}

var coders = []coder{claude, codex, geminiCLI, copilot, qwen, opencode}

var claude = coder{
	name: "claude", title: "Claude Code", program: "claude", role: "system", settings: ".claude/settings.json",
	env: []string{"ANTHROPIC_BASE_URL=@model", "ANTHROPIC_API_KEY=no-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false"},
	prepare: func(d *desk) { d.write(".claude.json", strings.ReplaceAll(claudeWelcomed, "@project", d.project)) },
	turn: func(prompt string) []string {
		return []string{"claude", "-p", prompt, "--allowedTools", "Bash,mcp__handoff"}
	},
	resume: func(prompt string) []string { return []string{"claude", "-p", "--continue", prompt} },
	fork:   func(*desk) []string { return []string{"claude", "-p", "--continue", "--fork-session", "go on"} },
	open: func(d *desk) *terminal {
		t := d.terminal("claude", "--allowedTools", "Bash")
		t.shows("❯")
		return t
	},
	compacts: "/compact",
	shell: func(command string) step {
		return step{tool: "Bash", args: map[string]any{"command": command, "description": "run"}}
	},
	mcp:     func(d *desk) { d.agent("claude", "mcp", "add", "--scope", "user", "handoff", "--", "handoff", "mcp") },
	compact: func(d *desk) { d.agent("claude", "-p", "--continue", "/compact") },
}

// claudeWelcomed says that the questions of a first session are answered.
const claudeWelcomed = `{"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["no-key"]},
"projects": {"@project": {"hasTrustDialogAccepted": true}}}`

const codexConfig = `model = "test-model"
model_provider = "local"
model_context_window = 200000
model_auto_compact_token_limit = 50000
[model_providers.local]
name = "local"
base_url = "@model/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
`

var codex = coder{
	name: "codex", title: "Codex CLI", program: "codex", role: "developer", settings: ".codex/hooks.json",
	env: []string{"LOCAL_KEY=no-key"},
	prepare: func(d *desk) {
		d.write(".codex/config.toml", strings.ReplaceAll(codexConfig, "@model", d.model.URL)+"[projects.\""+d.project+"\"]\ntrust_level = \"trusted\"\n")
	},
	turn: func(prompt string) []string {
		return []string{"codex", "exec", trustsHooks, "--sandbox", "danger-full-access", prompt}
	},
	resume: func(prompt string) []string {
		return []string{"codex", "exec", trustsHooks, "resume", "--last", prompt}
	},
	fork: func(d *desk) []string {
		files, _ := filepath.Glob(filepath.Join(d.home, ".codex/sessions/*/*/*/*.jsonl")) // a good pattern
		if len(files) == 0 {
			d.Fatal("no session of codex")
		}
		id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(filepath.Base(files[0]))
		return []string{"codex", "exec", trustsHooks, "fork", id, "go on"}
	},
	open: func(d *desk) *terminal {
		t := d.terminal("codex", trustsHooks)
		t.shows("›")
		return t
	},
	compacts: "/compact",
	shell:    func(command string) step { return step{tool: "exec_command", args: map[string]any{"cmd": command}} },
	mcp: func(d *desk) {
		d.write(".codex/config.toml", d.read(".codex/config.toml")+"[mcp_servers.handoff]\ncommand = \"handoff\"\nargs = [\"mcp\"]\n")
	},
	compact: func(d *desk) { // of itself, once the model claims to have read a lot
		d.model.reset(step{text: "much", usage: 60_000})
		d.agent("codex", "exec", trustsHooks, "resume", "--last", "read")
		d.agent("codex", "exec", trustsHooks, "resume", "--last", "go on")
	},
}

// trustsHooks is for those who have read the hooks: a person trusts them at a terminal.
const trustsHooks = "--dangerously-bypass-hook-trust"

var geminiCLI = coder{
	name: "gemini", title: "Gemini CLI", program: "gemini", role: "user", settings: ".gemini/settings.json",
	env: []string{"GEMINI_API_KEY=no-key", "GOOGLE_GEMINI_BASE_URL=@model", "GEMINI_CLI_TRUST_WORKSPACE=true"},
	prepare: func(d *desk) {
		d.write(".gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`+"\n")
	},
	turn:   func(prompt string) []string { return []string{"gemini", "--yolo", "-p", prompt} },
	resume: func(prompt string) []string { return []string{"gemini", "--yolo", "--resume", "latest", "-p", prompt} },
	open: func(d *desk) *terminal {
		t := d.terminal("gemini", "--yolo")
		t.shows("Type your message")
		return t
	},
	compacts: "/compress", forgets: true,
	shell: func(command string) step {
		return step{tool: "run_shell_command", args: map[string]any{"command": command}}
	},
	mcp: func(d *desk) {
		d.write(".gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "mcpServers": {"handoff": {"command": "handoff", "args": ["mcp"], "trust": true}}}`)
	},
}

var copilot = coder{
	name: "copilot", title: "Copilot CLI", program: "copilot", role: "user", settings: ".copilot/hooks/handoff.json",
	env:     []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=@model/v1", "COPILOT_PROVIDER_API_KEY=no-key", "COPILOT_MODEL=gpt-4.1", "COPILOT_AUTO_UPDATE=false"},
	prepare: func(*desk) {},
	turn:    func(prompt string) []string { return []string{"copilot", "--allow-all-tools", "-p", prompt} },
	resume: func(prompt string) []string {
		return []string{"copilot", "--allow-all-tools", "--continue", "-p", prompt}
	},
	open: func(d *desk) *terminal {
		t := d.terminal("copilot", "--allow-all-tools")
		t.shows("Do you trust", "for shortcuts", "/ commands")
		if strings.Contains(t.screen(), "Do you trust") {
			t.tmux("send-keys", "Enter")
		}
		t.shows("for shortcuts", "/ commands")
		return t
	},
	compacts: "/compact", forgets: true,
	shell: func(command string) step {
		return step{tool: "bash", args: map[string]any{"command": command, "description": "run"}}
	},
	mcp: func(d *desk) {
		d.write(".copilot/mcp-config.json", `{"mcpServers": {"handoff": {"type": "local", "command": "handoff", "args": ["mcp"], "tools": ["*"]}}}`)
	},
}

var qwen = coder{
	name: "qwen", title: "Qwen Code", program: "qwen", role: "system", settings: ".qwen/settings.json",
	adds: `(?m)^(Command|Directory|Error|Exit Code|Signal|Process Group PGID): .*\n?|^Output: `,
	env: []string{"OPENAI_API_KEY=no-key", "OPENAI_BASE_URL=@model/v1", "OPENAI_MODEL=test-model",
		"QWEN_CODE_SUPPRESS_YOLO_WARNING=1"},
	prepare: func(d *desk) { d.write(".qwen/settings.json", "{"+qwenAuth+"}\n") },
	turn:    func(prompt string) []string { return []string{"qwen", "--yolo", "-p", prompt} },
	resume:  func(prompt string) []string { return []string{"qwen", "--yolo", "--continue", "-p", prompt} },
	open: func(d *desk) *terminal {
		t := d.terminal("qwen", "--yolo")
		t.shows("Type your message")
		return t
	},
	compacts: "/compress",
	shell: func(command string) step {
		return step{tool: "run_shell_command", args: map[string]any{"command": command, "is_background": false}}
	},
	mcp: func(d *desk) {
		d.sh("handoff install qwen --mcp") // by its path, which leads past those who listen
		d.write(".qwen/settings.json", strings.ReplaceAll(d.read(".qwen/settings.json"), bin+"/handoff", "handoff"))
	},
}

// qwenAuth and the version keep Qwen Code from rewriting its settings.
const qwenAuth = `"security": {"auth": {"selectedType": "openai"}}, "memory": {"enableManagedAutoMemory": false}, "$version": 4`

var opencode = coder{
	name: "opencode", title: "opencode", program: "opencode", role: "user", settings: ".config/opencode/plugin/handoff.js",
	env: []string{"npm_config_registry=@model/", // from which it would get its own plugins
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
	prepare: func(d *desk) { d.write(opencodeConfig, strings.ReplaceAll(opencodeLocal, "@model", d.model.URL)) },
	turn:    func(prompt string) []string { return []string{"opencode", "run", "--auto", prompt} },
	resume:  func(prompt string) []string { return []string{"opencode", "run", "--auto", "--continue", prompt} },
	fork:    func(*desk) []string { return []string{"opencode", "run", "--auto", "--continue", "--fork", "go on"} },
	open: func(d *desk) *terminal {
		t := d.terminal("opencode", "--auto")
		t.shows("Ask anything")
		return t
	},
	compacts: "/compact",
	shell: func(command string) step {
		return step{tool: "bash", args: map[string]any{"command": command, "description": "run"}}
	},
	mcp: func(d *desk) {
		d.sh("handoff install opencode --mcp") // by its path, which leads past those who listen
		d.write(opencodeConfig, strings.ReplaceAll(d.read(opencodeConfig), bin+"/handoff", "handoff"))
	},
}

const opencodeConfig = ".config/opencode/opencode.json"

const opencodeLocal = `{"model": "local/test-model", "small_model": "local/test-model", "provider": {"local": {
"npm": "@ai-sdk/openai-compatible", "name": "local", "options": {"baseURL": "@model/v1", "apiKey": "no-key"},
"models": {"test-model": {"name": "test", "limit": {"context": 200000, "output": 8000}}}}}}
`
