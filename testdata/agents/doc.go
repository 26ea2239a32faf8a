// Package agents runs real coding agents against a model of its own on 127.0.0.1, and proves what reaches the model
// of the hooks and of the tools of MCP. It needs no network, no account and no key:
//
//	npm install --prefix /opt/agents @anthropic-ai/claude-code @openai/codex @google/gemini-cli @github/copilot @qwen-code/qwen-code opencode-ai
//	PATH=/opt/agents/node_modules/.bin:$PATH go test ./testdata/agents -run Agents -agents -v
//
// Each agent has a scratch home and an environment that holds nothing else. One that is not installed is skipped; so is what
// a person does at a terminal, where tmux is not installed. With -update the shapes that an agent was seen to give and to
// take are written to shapes/. The ordinary tests of lib/agent hold the hooks to them, and to the inputs of inputs.json.
package agents
