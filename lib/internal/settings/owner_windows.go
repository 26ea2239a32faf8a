package settings

// StateFor returns the user's state directory for a project.
func (u User) StateFor(string) string { return u.State }
