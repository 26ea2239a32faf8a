// Package agent connects coding agents with handoffs. Everything derives from one table of agents, agents.txt.
//
//	SessionStart, Hear, SessionEnd   the hooks that agents run
//	Agent.Install, Uninstall         their registration in an agent's settings
//
// The files in hooks/ derive from the table too: the test with -update writes them.
//
// A hook never harms the session. It does not fail and does not wait. If there is nothing to report it prints
// nothing. Otherwise it prints facts in the form that the agent expects. It prints bodies only on request, each
// in a frame.
//
// Settings belong to their owner. A file is changed only if all of it was understood and no other program changes
// it meanwhile. Only the bytes of one entry change, and uninstalling restores the file as it was. Any other file
// is refused: the error names the place, and nothing is changed.
package agent
