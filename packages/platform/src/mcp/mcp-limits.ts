/** What clients of the tool protocol may use up. */
import { MAX_MESSAGES } from '../schemas/mcp.ts'

export interface McpLimits {
  readonly sessions: number
  /** Of all who come without a token. */
  readonly sessionsOfStrangers: number
  /** Of one user, or of one address without a token. */
  readonly sessionsOfOne: number
  readonly callsOfSession: number
  /** Of all sessions, and without one. */
  readonly calls: number
  readonly callsOfStrangers: number
  readonly messageBytes: number
  readonly resultBytes: number
  /** Without a message from the client. */
  readonly idleMs: number
  /** What a reader of events may be behind. */
  readonly behindBytes: number
  /** Answers kept for a client that comes back, in one session. */
  readonly keptBytes: number
  readonly keptStreams: number
}

export const DEFAULT_MCP_LIMITS: McpLimits = {
  sessions: 1_000,
  sessionsOfStrangers: 500,
  sessionsOfOne: 20,
  callsOfSession: MAX_MESSAGES,
  calls: 200,
  callsOfStrangers: 100,
  messageBytes: 1024 * 1024,
  resultBytes: 4 * 1024 * 1024,
  idleMs: 5 * 60_000,
  behindBytes: 16 * 1024 * 1024,
  keptBytes: 256 * 1024,
  keptStreams: 32,
}
