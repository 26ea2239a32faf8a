#!/bin/sh
# Hook for the end of a session or of a turn, or after a compaction: saves a draft from the agent's standard input.
# --agent NAME names the agent. Prints nothing if there is nothing, or if handoff is not
# installed. Never waits for its input, never fails.
if command -v handoff >/dev/null 2>&1; then
  handoff hook stop "$@"
fi
exit 0
