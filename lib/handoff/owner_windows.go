package handoff

import "os"

func ownedByCaller(string) bool { return true }

func mayWrite(os.FileInfo) bool { return true }
