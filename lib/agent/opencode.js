// Made by `handoff install opencode`
const command = []
