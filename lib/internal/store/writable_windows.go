package store

import "os"

func mayMakeIn(dir string) error {
	_, err := os.Stat(dir)
	return err
}
