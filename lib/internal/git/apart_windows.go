package git

import "os/exec"

// apart does nothing: git asks nobody without a console.
func apart(*exec.Cmd) {}
