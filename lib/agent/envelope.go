package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// An envelope is the form in which an agent takes text for its model, and where it can a notice for the person at its terminal.
type envelope struct {
	wrap   func(text, notice string) any       // what is printed as JSON; nil prints the text itself
	unwrap func(output []byte) (string, error) // the text in what a hook printed
}

// plainText is no envelope.
var plainText = envelope{unwrap: func(output []byte) (string, error) { return string(output), nil }}

// hookSpecific is the envelope of Claude Code, Codex and Gemini. An unknown key in it is an error: Codex drops
// the whole output for one.
var hookSpecific = envelope{
	wrap: func(text, notice string) any {
		return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": "SessionStart", "additionalContext": text}, "systemMessage": notice}
	},
	unwrap: unwrapSpecific,
}

// unwrapSpecific takes the text out of the form that Claude Code, Codex and Gemini read, as strictly as the
// strictest of them.
func unwrapSpecific(output []byte) (string, error) {
	var e struct {
		Output struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Notice string `json:"systemMessage"`
	}
	if err := strict(output, &e); err != nil {
		return "", err
	}
	if e.Output.Event != "SessionStart" {
		return "", fmt.Errorf("hookEventName is %q, not SessionStart", e.Output.Event)
	}
	return e.Output.Context, nil
}

// topLevel is the envelope that is one key.
func topLevel(key string) envelope {
	return envelope{
		wrap: func(text, _ string) any { return map[string]string{key: text} },
		unwrap: func(output []byte) (string, error) {
			var e map[string]string
			if err := strict(output, &e); err != nil {
				return "", err
			}
			if context, ok := e[key]; ok && len(e) == 1 {
				return context, nil
			}
			return "", fmt.Errorf("the envelope is not one key %s", key)
		},
	}
}

// strict reads one JSON value with no unknown key and nothing after it.
func strict(output []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(output))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the output is not the envelope: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than the envelope")
	}
	return nil
}
