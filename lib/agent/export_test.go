package agent

import "encoding/json"

// AddRow adds an agent to the table, and returns a function that removes it.
func AddRow(row string) (remove func()) {
	var a Agent
	if err := json.Unmarshal([]byte(row), &a); err != nil {
		panic(err)
	}
	before := agents
	all := append(before(), a)
	agents = func() []Agent { return all }
	return func() { agents = before }
}
