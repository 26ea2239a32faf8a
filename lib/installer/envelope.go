package installer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// hookSpecific takes the text for the model out of the envelope of Claude Code, Codex and Gemini. An unknown
// key is an error: Codex drops the whole output for one.
func hookSpecific(output []byte) (string, error) {
	var e struct {
		Output struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := strict(output, &e); err != nil {
		return "", err
	}
	if e.Output.Event != "SessionStart" {
		return "", fmt.Errorf("hookEventName is %q, not SessionStart", e.Output.Event)
	}
	return e.Output.Context, nil
}

// topLevel takes the text out of an envelope that is one key.
func topLevel(key string) func([]byte) (string, error) {
	return func(output []byte) (string, error) {
		var e map[string]string
		if err := strict(output, &e); err != nil {
			return "", err
		}
		if context, ok := e[key]; ok && len(e) == 1 {
			return context, nil
		}
		return "", fmt.Errorf("the envelope is not one key %s", key)
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
