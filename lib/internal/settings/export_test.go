package settings

// Parse returns the settings of a settings file, with defaults. An empty text is valid. Paths are returned as
// written. name is the name of the file in errors; an error has a line for each invalid key.
func Parse(src []byte, name string) (Settings, error) {
	var s Settings
	table := s.rows()
	if err := parse(src, name, table); err != nil {
		return Settings{}, err
	}
	return s, nil
}
