package agents

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A step is what the model answers next: a text, or the call of a tool.
type step struct {
	text  string
	tool  string // the end of its name
	args  map[string]any
	usage int    // tokens that it claims to have read; 0 is those of the model
	n     int    // tells the calls of a session apart
	to    string // the request that it answers mentions this; any other, as for a suggestion of what to type next, gets "ok"

	before func() // runs before the model answers: something happens while the turn is running
}

// A model stands in for the models of all agents. It says what its script says, then "ok", and remembers what it was asked.
type model struct {
	*httptest.Server
	mu     sync.Mutex
	script []step
	asked  []any // the bodies of requests since reset
	all    []any // and of all requests
	calls  int
	usage  int // tokens that it claims to have read where its script does not say it
}

func newModel(t *testing.T) *model {
	m := &model{usage: 100}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() { m.CloseClientConnections(); m.Close() })
	return m
}

// reset forgets what was asked, and takes a script.
func (m *model) reset(script ...step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.script = nil, script
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	body := decoded(r)
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		reply(w, map[string]any{"input_tokens": 100})
	case strings.HasSuffix(path, ":countTokens"):
		reply(w, map[string]any{"totalTokens": 100})
	case strings.HasSuffix(path, "/models"):
		reply(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "test-model", "object": "model"}}, "models": []any{}})
	case strings.HasSuffix(path, "/messages"):
		m.answer(w, body, anthropic)
	case strings.HasSuffix(path, "/responses"):
		m.answer(w, body, responses)
	case strings.HasSuffix(path, "/chat/completions"):
		m.answer(w, body, chat)
	case strings.Contains(path, "enerateContent"):
		m.answer(w, body, gemini(strings.Contains(path, ":stream")))
	default:
		http.Error(w, `{"error":{"message":"not here"}}`, http.StatusNotFound)
	}
}

func decoded(r *http.Request) map[string]any {
	var in io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		if z, err := gzip.NewReader(r.Body); err == nil {
			in = z
		}
	}
	var body map[string]any
	_ = json.NewDecoder(in).Decode(&body)
	return body
}

// A dialect writes a step in the form of one interface.
type dialect func(body map[string]any, s step) (events []event, whole any)

type event struct {
	name string
	data any
}

func (m *model) answer(w http.ResponseWriter, body map[string]any, speak dialect) {
	m.mu.Lock()
	m.asked, m.all = append(m.asked, body), append(m.all, body)
	m.calls++
	s := step{text: "ok"}
	tools := toolNames(body["tools"])
	if len(m.script) > 0 && len(tools) > 0 && strings.Contains(text(body), m.script[0].to) {
		s, m.script = m.script[0], m.script[1:]
	}
	search, isSearch := searchFor(s, tools, body)
	if isSearch {
		m.script = append([]step{s}, m.script...)
	}
	s = search
	s.n = m.calls
	if s.usage == 0 {
		s.usage = m.usage
	}
	m.mu.Unlock()
	if s.before != nil {
		s.before()
	}
	for _, name := range tools {
		if s.tool != "" && strings.HasSuffix(name, s.tool) {
			s.tool = name
			break
		}
	}
	events, whole := speak(body, s)
	if stream, _ := body["stream"].(bool); !stream && whole != nil {
		reply(w, whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		fmt.Fprintf(w, "data: %s\n\n", text(e.data))
	}
}

// searchFor returns a step as a model takes it whose agent offers tools of servers only after a search: the search, unless it
// was made in this session, and then the call by the tool for that.
func searchFor(s step, tools []string, body map[string]any) (search step, isSearch bool) {
	isOffered := slices.ContainsFunc(tools, func(name string) bool { return strings.HasSuffix(name, s.tool) })
	name := "mcp__handoff__" + s.tool
	switch {
	case s.tool == "" || isOffered || !slices.Contains(tools, "tool_search"):
	case !strings.Contains(text(body), "select:"+name):
		return step{tool: "tool_search", args: map[string]any{"query": "select:" + name}}, true
	default:
		s.tool, s.args = "tool_call", map[string]any{"name": name, "arguments": s.args}
	}
	return s, false
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, text(v))
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var out bytes.Buffer
	_ = json.NewEncoder(&out).Encode(v)
	return strings.TrimSpace(out.String())
}

// toolNames returns the names of the tools that a request offers, whatever they lie in. Those in a namespace come as
// "namespace\x00name".
func toolNames(v any) (names []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			names = append(names, toolNames(item)...)
		}
	case map[string]any:
		name, _ := v["name"].(string)
		if v["type"] == "namespace" {
			for _, inner := range toolNames(v["tools"]) {
				names = append(names, name+"\x00"+inner)
			}
			return names
		}
		if name != "" {
			names = append(names, name)
		}
		for _, key := range []string{"function", "functionDeclarations", "tools"} {
			names = append(names, toolNames(v[key])...)
		}
	}
	return names
}

func anthropic(body map[string]any, s step) ([]event, any) {
	usage := map[string]any{"input_tokens": s.usage, "output_tokens": 5}
	block, stop := map[string]any{"type": "text", "text": s.text}, "end_turn"
	start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": s.text}
	if s.tool != "" {
		block, stop = map[string]any{"type": "tool_use", "id": fmt.Sprint("toolu_", s.n), "name": s.tool, "input": s.args}, "tool_use"
		start = map[string]any{"type": "tool_use", "id": fmt.Sprint("toolu_", s.n), "name": s.tool, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": text(s.args)}
	}
	message := map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []any{}, "stop_reason": nil, "usage": usage}
	whole := map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []any{block}, "stop_reason": stop, "usage": usage}
	return []event{
		{"message_start", map[string]any{"type": "message_start", "message": message}},
		{"content_block_start", map[string]any{"type": "content_block_start", "index": 0, "content_block": start}},
		{"content_block_delta", map[string]any{"type": "content_block_delta", "index": 0, "delta": delta}},
		{"content_block_stop", map[string]any{"type": "content_block_stop", "index": 0}},
		{"message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop}, "usage": usage}},
		{"message_stop", map[string]any{"type": "message_stop"}},
	}, whole
}

func responses(body map[string]any, s step) ([]event, any) {
	item := map[string]any{"type": "message", "id": "m_1", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": s.text, "annotations": []any{}}}}
	if s.tool != "" {
		item = map[string]any{"type": "function_call", "id": "fc_1", "call_id": fmt.Sprint("call_", s.n), "name": s.tool, "arguments": text(s.args), "status": "completed"}
		if space, name, ok := strings.Cut(s.tool, "\x00"); ok {
			item["namespace"], item["name"] = space, name
		}
	}
	whole := map[string]any{"id": "resp_1", "object": "response", "model": body["model"], "status": "completed", "output": []any{item},
		"usage": map[string]any{"input_tokens": s.usage, "output_tokens": 5, "total_tokens": s.usage + 5}}
	return []event{
		{"response.created", map[string]any{"type": "response.created", "response": map[string]any{"id": "resp_1", "status": "in_progress", "output": []any{}}}},
		{"response.output_item.added", map[string]any{"type": "response.output_item.added", "output_index": 0, "item": item}},
		{"response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item}},
		{"response.completed", map[string]any{"type": "response.completed", "response": whole}},
	}, whole
}

func chat(body map[string]any, s step) ([]event, any) {
	message, stop := map[string]any{"role": "assistant", "content": s.text}, "stop"
	if s.tool != "" {
		message["tool_calls"] = []any{map[string]any{"index": 0, "id": fmt.Sprint("call_", s.n), "type": "function",
			"function": map[string]any{"name": s.tool, "arguments": text(s.args)}}}
		stop = "tool_calls"
	}
	base := func(key string, v any, finish any) map[string]any {
		return map[string]any{"id": "chat_1", "object": "chat.completion.chunk", "model": body["model"], "choices": []any{map[string]any{"index": 0, key: v, "finish_reason": finish}},
			"usage": map[string]any{"prompt_tokens": s.usage, "completion_tokens": 5, "total_tokens": s.usage + 5}}
	}
	return []event{{"", base("delta", message, nil)}, {"", base("delta", map[string]any{}, stop)}, {"", "[DONE]"}}, base("message", message, stop)
}

func gemini(stream bool) dialect {
	return func(body map[string]any, s step) ([]event, any) {
		part := map[string]any{"text": s.text}
		if s.tool != "" {
			part = map[string]any{"functionCall": map[string]any{"name": s.tool, "args": s.args}}
		}
		if config, _ := body["generationConfig"].(map[string]any); config["responseMimeType"] == "application/json" {
			part = map[string]any{"text": `{"reasoning":"x","model_choice":"flash","complexity_reasoning":"x","complexity_score":10,"next_speaker":"user"}`}
		}
		whole := map[string]any{"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
			"usageMetadata": map[string]any{"promptTokenCount": s.usage, "candidatesTokenCount": 5, "totalTokenCount": s.usage + 5}}
		if stream {
			return []event{{"", whole}}, nil
		}
		return nil, whole
	}
}

// A sighting is a text in a request, and whose it is there.
type sighting struct {
	role  string
	count int
	only  string
}

// last returns the last request that has tools, and so is a turn of the session.
func (m *model) last() any {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.asked) - 1; i >= 0; i-- {
		if body := m.asked[i].(map[string]any); len(toolNames(body["tools"])) > 0 {
			return body
		}
	}
	return nil
}

// sees returns where a text stands in what the model was asked last; with only, in that role alone.
func (m *model) sees(needle, only string) (found sighting) {
	found.only = only
	look(m.last(), "", needle, &found)
	return found
}

func look(v any, role, needle string, found *sighting) {
	switch v := v.(type) {
	case map[string]any:
		if r, ok := v["role"].(string); ok {
			role = r
		}
		switch v["type"] {
		case "tool_result", "function_call_output":
			role = "tool"
		}
		for key, inner := range v {
			switch key {
			case "system", "instructions", "systemInstruction":
				look(inner, "system", needle, found)
			case "functionResponse":
				look(inner, "tool", needle, found)
			default:
				look(inner, role, needle, found)
			}
		}
	case []any:
		for _, inner := range v {
			look(inner, role, needle, found)
		}
	case string:
		if n := strings.Count(v, needle); n > 0 && (found.only == "" || found.only == role) {
			found.role = role
			found.count += n
		}
	}
}

// claims sets how many tokens the model claims to have read, where its script does not say it.
func (m *model) claims(usage int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = usage
}

// count returns the number of requests so far, whatever was reset.
func (m *model) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all)
}

// since returns the requests after the first n that have tools, and so are turns of the session.
func (m *model) since(n int) (turns []any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, body := range m.all[max(0, n):] {
		if len(toolNames(body.(map[string]any)["tools"])) > 0 {
			turns = append(turns, body)
		}
	}
	return turns
}
