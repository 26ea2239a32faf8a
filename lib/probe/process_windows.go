package probe

import (
	"os"
	"os/exec"
)

// apart does nothing: there are no process groups that could be killed as a whole.
func apart(*exec.Cmd) {}

func kill(p *os.Process) error { return p.Kill() }

func sweep(string) bool { return true }
