// Package agent connects coding agents with handoffs. All about an agent is a row of agents.json.
//
//	Hook.Run                     the hooks that agents run
//	Agent.Install, Uninstall     their registration in an agent's settings
//	Identify                     which session a command runs in
//	LastSession                  the file that a session leaves when it ends
//
// To add an agent, add a row. Its keys are the fields of [Agent]. A golden file in testdata shows what is installed.
//
// A hook never harms the session. It does not fail and does not wait. If there is nothing to report it prints nothing.
// Otherwise it prints facts in the form that the agent expects. It prints bodies only on request, each in a frame.
//
// Settings belong to their owner. A file is changed only if all of it was understood and no other program changes it
// meanwhile. Only the bytes of our entries change, and undoing restores the file as it was. Any other file is refused:
// the error names the place, and nothing is changed.
package agent
