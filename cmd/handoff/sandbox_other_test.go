//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func hasLandlock() bool { return false }

func sandboxed(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("Landlock is of Linux") }
