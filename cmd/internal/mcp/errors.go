package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A failure is what a program learns of an error.
type failure struct {
	Class    string   `json:"class"`
	ExitCode int      `json:"exit_code"` // that the command would have
	Message  string   `json:"message"`
	Hints    []string `json:"hints,omitempty"`
}

func newFailure(err error) failure {
	exit := everyday.ExitOf(err)
	return failure{Class: exit.Name, ExitCode: exit.Code, Message: escapeLines(err.Error()), Hints: hints(err)}
}

// failed is the result for an error. more is shown after it.
func failed(err error, more string) *mcp.CallToolResult {
	f := newFailure(err)
	text := fmt.Sprintf("%s (exit code %d): %s\n", f.Class, f.ExitCode, f.Message)
	for _, h := range f.Hints {
		text += "hint: " + h + "\n"
	}
	return &mcp.CallToolResult{IsError: true, StructuredContent: map[string]any{"error": f}, Content: []mcp.Content{&mcp.TextContent{Text: text + more}}}
}

// classify gives the errors that come from the protocol library, such as those about arguments, the form
// of ours.
func classify(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		call, ok := res.(*mcp.CallToolResult)
		if err != nil || !ok || call == nil || !call.IsError || call.StructuredContent != nil {
			return res, err
		}
		why := errors.New("the call failed")
		if len(call.Content) > 0 {
			if text, ok := call.Content[0].(*mcp.TextContent); ok {
				why = errors.New(text.Text)
			}
		}
		if strings.HasPrefix(why.Error(), "internal error") {
			return failed(why, ""), nil
		}
		return failed(&handoff.Error{Class: handoff.ErrInvalid, Problem: why.Error(), Advice: "tools/list says what the tool takes"}, ""), nil
	}
}

func escapeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = handoff.EscapeLine(line)
	}
	return strings.Join(lines, "\n")
}

// hints returns the hint of an error, or of the errors that it wraps.
func hints(err error) []string {
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		return []string{handoff.EscapeLine(h.Hint())}
	}
	return nil
}
