package mcp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// failed returns the result for an error: its class and message, then more. Text of others is omitted. It has no
// structured content, since some agents would show their model only that.
func failed(err error, more string) *mcp.CallToolResult {
	exit := cli.ExitOf(err)
	what := strings.TrimPrefix(inTools(fault.Plain(err)), "…") // the name of a text
	text := fmt.Sprintf("%s (exit code %d): %s\n", exit.Name, exit.Code, what)
	if h := hint(err); h != "" {
		text += "hint: " + h + "\n"
	}
	return &mcp.CallToolResult{IsError: true, Meta: mcp.Meta{"exit_code": exit.Code},
		Content: []mcp.Content{&mcp.TextContent{Text: text + more}}}
}

// hint returns the hint of an error or of one that it wraps, without the parts for people: paths, and commands
// without a tool.
func hint(err error) string {
	if redactable(err) {
		return "remove it, or add redact: true"
	}
	var h interface{ Hint() string }
	if !errors.As(err, &h) || strings.ContainsAny(h.Hint(), `/\`) {
		return ""
	}
	parts := strings.Split(inTools(h.Hint()), "; ")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		return strings.Contains(part, "`handoff ") || strings.Contains(part, "allow_empty")
	}), "; ")
}

// redactable reports whether the only faults are credentials that can be replaced.
func redactable(err error) bool {
	faults := (*handoff.DocumentError)(nil)
	return errors.As(err, &faults) &&
		!slices.ContainsFunc(faults.Faults, func(f handoff.Fault) bool { return !strings.Contains(f.Hint, "--redact") })
}

// inTools replaces the names of flags and commands by those of arguments and tools.
func inTools(text string) string {
	flagName := regexp.MustCompile(`--([a-z]+)(?:-([a-z]+))?( [A-Z])?`)
	commandName := regexp.MustCompile("`handoff (list|read|write|reply|take|done|check|resume)( [A-Z]+)*`")
	text = flagName.ReplaceAllStringFunc(text,
		func(flag string) string { return strings.NewReplacer("-", "_", " ", ": ").Replace(flag[2:]) })
	text = commandName.ReplaceAllStringFunc(text, func(command string) string {
		return "handoff_" + strings.ReplaceAll(strings.Fields(strings.Trim(command, "`"))[1], "-", "_")
	})
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = handoff.EscapeLine(line)
	}
	return strings.Join(lines, "\n")
}
