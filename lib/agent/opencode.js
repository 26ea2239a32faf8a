// Written by `handoff install opencode`, which also replaces it. `handoff install opencode --undo` removes it.
const commands = COMMANDS

// It runs `handoff hook` at the events of opencode, and adds what that prints to the message of the person or to the
// result of the tool. Where that fails or takes 5 seconds, the session goes on without it.
import { execFile } from "node:child_process"

export const Handoff = async ({ client, directory }) => {
  const loaded = Date.now()
  const sessions = new Map() // what is running, by id: those of subagents hear nothing

  const run = (command, id, event, more) => new Promise((resolve) => {
    setTimeout(resolve, 5500).unref() // a process of the hook can hold its output open
    try {
      const [program, ...args] = commands[command]
      const limits = { cwd: directory, timeout: 5000, killSignal: "SIGKILL" }
      const child = execFile(program, args, limits, (error, output) => {
        try {
          resolve(error || !output ? "" : JSON.parse(output).additionalContext)
        } catch {
          resolve()
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ session_id: id, cwd: directory, hook_event_name: event, ...more }))
    } catch {
      resolve()
    }
  })

  const begin = (id, source) => {
    sessions.set(id, {})
    return run("session-start", id, "SessionStart", { source })
  }

  const hear = async (id) => {
    if (sessions.get(id)?.compacted) return begin(id, "compact")
    if (sessions.has(id)) return run("prompt", id, "UserPromptSubmit")
    const info = (await client.session.get({ path: { id } })).data
    if (info?.parentID) return
    return begin(id, info?.time?.created < loaded ? "resume" : "startup")
  }

  const careful = (handler) => async (input, output) => {
    try {
      await handler(input, output)
    } catch {} // a hook never harms the session
  }

  return {
    "chat.message": careful(async ({ sessionID }, { message, parts }) => {
      const text = await hear(sessionID)
      const id = "prt_handoff" + Date.now() // it sorts behind the other parts
      if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    }),
    "tool.execute.after": careful(async ({ sessionID }, result) => {
      if (!sessions.has(sessionID) || typeof result?.output !== "string") return
      const text = await run("tool", sessionID, "PostToolUse")
      if (text) result.output += "\n\n" + text
    }),
    "shell.env": careful(async ({ sessionID }, { env }) => {
      if (sessions.has(sessionID)) env.OPENCODE_SESSION_ID = sessionID
    }),
    event: careful(async ({ event }) => {
      const session = sessions.get(event.properties?.sessionID)
      if (session && event.type === "session.compacted") session.compacted = true
    }),
    dispose: careful(async () => {
      for (const id of sessions.keys()) await run("session-end", id, "SessionEnd", { reason: "exit" })
    }),
  }
}
