package store

import "os"

func isCallers(os.FileInfo) bool { return true }

func mayWrite(os.FileInfo) bool { return true }
