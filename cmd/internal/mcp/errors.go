package mcp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// failed is the result for an error: its class, and what is wrong in our own words. more is shown after it. There is no
// structured content, which would be all that some agents show their model.
func failed(err error, more string) *mcp.CallToolResult {
	exit := everyday.ExitOf(err)
	text := fmt.Sprintf("%s (exit code %d): %s\n", exit.Name, exit.Code, inTools(fault.Plain(err)))
	if h := hint(err); h != "" {
		text += "hint: " + inTools(h) + "\n"
	}
	return &mcp.CallToolResult{IsError: true, Meta: mcp.Meta{"exit_code": exit.Code}, Content: []mcp.Content{&mcp.TextContent{Text: text + more}}}
}

// hint returns the hint of an error, or of one that it wraps, unless it is for people: it names a path, or what there is
// no tool for.
func hint(err error) string {
	var h interface{ Hint() string }
	if !errors.As(err, &h) || strings.ContainsAny(h.Hint(), `/\`) {
		return ""
	}
	return h.Hint()
}

var (
	flagName    = regexp.MustCompile(`--([a-z]+)(?:-([a-z]+))?`)
	commandName = regexp.MustCompile("`handoff (list|read|write|mark-read|check|resume)( [A-Z]+)*`")
)

// inTools writes names of flags and commands as those of arguments and tools.
func inTools(text string) string {
	text = flagName.ReplaceAllStringFunc(text, func(flag string) string { return strings.ReplaceAll(flag[2:], "-", "_") })
	text = commandName.ReplaceAllStringFunc(text, func(command string) string {
		return "handoff_" + strings.ReplaceAll(strings.Fields(strings.Trim(command, "`"))[1], "-", "_")
	})
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = handoff.EscapeLine(line)
	}
	return strings.Join(lines, "\n")
}

// classify gives the errors that come from the protocol library, such as those about arguments, the form
// of ours.
func classify(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		call, ok := res.(*mcp.CallToolResult)
		if err != nil || !ok || call == nil || !call.IsError || call.Meta["exit_code"] != nil {
			return res, err
		}
		why := errors.New("the call failed")
		if len(call.Content) > 0 {
			if text, ok := call.Content[0].(*mcp.TextContent); ok {
				why = errors.New(text.Text)
			}
		}
		if strings.HasPrefix(why.Error(), "internal error") {
			return failed(fault.New(nil, "", "internal error"), ""), nil
		}
		return failed(fault.New(fault.ErrInvalid, "tools list says what the tool takes", "the arguments do not fit the tool: %s", fault.Own(why.Error())), ""), nil
	}
}
