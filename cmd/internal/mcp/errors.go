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

// failed is the result for an error: its class, and what is wrong in our own words. more is shown after it. There is no
// structured content, which would be all that some agents show their model.
func failed(err error, more string) *mcp.CallToolResult {
	exit := cli.ExitOf(err)
	text := fmt.Sprintf("%s (exit code %d): %s\n", exit.Name, exit.Code, inTools(fault.Plain(err)))
	if h := hint(err); h != "" {
		text += "hint: " + h + "\n"
	}
	return &mcp.CallToolResult{IsError: true, Meta: mcp.Meta{"exit_code": exit.Code}, Content: []mcp.Content{&mcp.TextContent{Text: text + more}}}
}

// hint returns the hint of an error, or of one that it wraps, but for what is for people: a path, and parts that name
// what there is no tool for.
func hint(err error) string {
	if redactable(err) {
		return "take it out, or give redact: true to have it replaced"
	}
	var h interface{ Hint() string }
	if !errors.As(err, &h) || strings.ContainsAny(h.Hint(), `/\`) {
		return ""
	}
	parts := strings.Split(inTools(h.Hint()), "; ")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return strings.Contains(part, "`handoff ") }), "; ")
}

// redactable reports whether a credential is all that is wrong, and can be replaced.
func redactable(err error) bool {
	faults := (*handoff.DocumentError)(nil)
	return errors.As(err, &faults) && !slices.ContainsFunc(faults.Faults, func(f handoff.Fault) bool { return !strings.Contains(f.Hint, "--redact") })
}

var (
	flagName    = regexp.MustCompile(`--([a-z]+)(?:-([a-z]+))?`)
	commandName = regexp.MustCompile("`handoff (list|read|write|mark-read|take|done|check|resume)( [A-Z]+)*`")
)

// inTools writes names of flags and commands as those of arguments and tools.
func inTools(text string) string {
	text = flagName.ReplaceAllStringFunc(text, func(flag string) string { return strings.ReplaceAll(flag[2:], "-", "_") })
	text = commandName.ReplaceAllStringFunc(text, func(command string) string {
		return "handoff_" + strings.ReplaceAll(strings.Fields(strings.Trim(command, "`"))[1], "-", "_")
	})
	text = strings.ReplaceAll(text, "`handoff next`", "handoff_list with unread: true")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = handoff.EscapeLine(line)
	}
	return strings.Join(lines, "\n")
}
