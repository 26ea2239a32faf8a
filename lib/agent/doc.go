// Package agent is what coding agents have to do with handoffs: one table of them, and what derives from it.
//
//	SessionStart, SaveDraft    the hooks that agents run
//	Agent.Install, Uninstall   their registration in an agent's settings
//	Agent.Entries, Entry.Test  what is registered, and whether it works
//
// The files in hooks/ derive from the table too: the test with -update writes them.
//
// A hook must never harm the session: it does not fail, does not wait, says nothing when there is nothing
// to say, and what it prints are facts in the form that the agent expects. Nothing of a body is printed
// unless that is asked for, and then inside a frame.
//
// Settings belong to their owner. A file is changed only where it is wholly understood, only by the bytes of
// one entry, and only if nobody else changed it meanwhile; taking the entry out gives the file back as it
// was. What is not understood is refused with its place, and nothing is changed.
package agent
