import { MAX_MESSAGES } from '../schemas/mcp.ts'

export interface McpLimits {
  readonly sessions: number
  readonly sessionsOfStrangers: number
  /** Maximum sessions of one user, or of one address without a token. */
  readonly sessionsOfOne: number
  readonly callsOfSession: number
  readonly calls: number
  readonly callsOfStrangers: number
  readonly messageBytes: number
  readonly resultBytes: number
  readonly idleMs: number
  /** A reader of /mcp/sse with this many unread characters is disconnected. */
  readonly behindBytes: number
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
