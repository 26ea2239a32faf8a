// Written by `handoff install opencode`, which also replaces it. `handoff uninstall opencode` removes it.
const commands = COMMANDS

// It runs `handoff hook` at the events of opencode, and adds what that prints to the message of the person or to the
// result of the tool. Where that fails or takes 5 seconds, the session goes on without it. The ids of what was told are
// kept in the metadata, where a forked session has them too.
import { execFile } from "node:child_process"

const nothing = { additionalContext: "", handoffs: "" }

export const Handoff = async ({ client, directory }) => {
  const loaded = Date.now()
  const sessions = new Map() // what is running, by id: those of subagents hear nothing

  const run = (command, id, event, more) => new Promise((resolve) => {
    setTimeout(resolve, 5500, nothing).unref() // a process of the hook can hold its output open
    try {
      const [program, ...args] = commands[command]
      const limits = { cwd: directory, timeout: 5000, killSignal: "SIGKILL" }
      const child = execFile(program, args, limits, (error, output) => {
        try {
          resolve((!error && output && JSON.parse(output)) || nothing)
        } catch {
          resolve(nothing)
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ session_id: id, cwd: directory, hook_event_name: event, ...more }))
    } catch {
      resolve(nothing)
    }
  })

  const begin = async (id, source, told) => {
    sessions.set(id, {})
    return run("session-start", id, "SessionStart", { source, told })
  }

  // The ids in the messages that the model still has, as this plugin left them there; undefined if nobody knows.
  const kept = async (id) => {
    try {
      let ids = new Set()
      for (const { info, parts } of (await client.session.messages({ path: { id } })).data) {
        if (info.role === "assistant" && info.summary === true) ids = new Set() // of a compaction
        for (const part of parts) {
          const isDone = info.role === "assistant" && part.state?.status === "completed"
          const { handoffs } = (isDone ? part.state.metadata : info.role === "user" && part.synthetic && part.metadata) || {}
          if (typeof handoffs === "string") handoffs.split(" ").forEach((one) => ids.add(one))
        }
      }
      return [...ids].join(" ")
    } catch {}
  }

  const hear = async (id) => {
    if (sessions.get(id)?.compacted) return begin(id, "compact")
    if (sessions.has(id)) return run("prompt", id, "UserPromptSubmit")
    const info = (await client.session.get({ path: { id } })).data
    if (info?.parentID) return nothing
    const told = await kept(id)
    return begin(id, info?.time?.created < loaded ? "resume" : told ? "fork" : "startup", told)
  }

  const careful = (handler) => async (input, output) => {
    try {
      await handler(input, output)
    } catch {} // a hook never harms the session
  }

  return {
    "chat.message": careful(async ({ sessionID }, { message, parts }) => {
      const { additionalContext: text, handoffs } = await hear(sessionID)
      const id = "prt_handoff" + Date.now() // it sorts behind the other parts
      const part = { id, sessionID, messageID: message.id, type: "text", text, synthetic: true, metadata: { handoffs } }
      if (text) parts.push(part)
    }),
    "tool.execute.after": careful(async ({ sessionID }, result) => {
      if (result?.metadata) delete result.metadata.handoffs // what a tool says of itself is not what was told
      if (!sessions.has(sessionID) || typeof result?.output !== "string") return
      const { additionalContext: text, handoffs } = await run("tool", sessionID, "PostToolUse")
      if (!text) return
      result.output += "\n\n" + text
      result.metadata = { ...result.metadata, handoffs }
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
