#!/bin/sh
# Session-start hook for any agent that runs a program and shows its output: prints the unread handoffs
# of the project in the current directory. Prints nothing if there is nothing, or if handoff is not
# installed. Never waits for its input, never fails.
if command -v handoff >/dev/null 2>&1; then
  handoff hook session-start --agent plain "$@" </dev/null
fi
exit 0
