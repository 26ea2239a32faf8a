package disk

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// hostname returns the LocalHostName: os.Hostname changes with the network on macOS.
func hostname() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/sbin/scutil", "--get", "LocalHostName").Output()
	if name := strings.TrimSpace(string(out)); err == nil && name != "" {
		return name, nil
	}
	return os.Hostname()
}
