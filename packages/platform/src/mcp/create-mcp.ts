import type { Clock, Logger, Random } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RateLimitStore } from '../http/rate-limit-store.ts'
import type { AnyRoute } from '../http/route.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { createSweepingService } from '../sweeping-service.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import { createLegacyRoutes } from './legacy-routes.ts'
import { DEFAULT_MCP_LIMITS, type McpLimits } from './mcp-limits.ts'
import { McpSessions } from './mcp-sessions.ts'
import { createStreamableRoutes } from './streamable-routes.ts'
import { createToolCalls, type McpUser } from './tool-calls.ts'
import { connectToolServer } from './tool-server.ts'

export interface McpOptions {
  readonly version: string
  readonly corsOrigins: readonly string[]
  readonly limitScale: number
  readonly mcpLimits?: Partial<McpLimits>
}

export interface McpDependencies {
  readonly storage?: StorageQuota
  readonly toolbox: Toolbox
  readonly limits: RateLimitStore
  isTokenGood(authorization: string | undefined): Promise<boolean>
  isOutage(error: unknown): boolean
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Mcp {
  readonly routes: readonly AnyRoute[]
  readonly service: Service
  /** Ends everything that was opened with this session's token. */
  drop(sessionId: string): void
}

export function createMcp({ version, corsOrigins, limitScale, mcpLimits }: McpOptions, deps: McpDependencies): Mcp {
  const { clock, isTokenGood } = deps
  const limits = { ...DEFAULT_MCP_LIMITS, ...mcpLimits }
  const calls = createToolCalls({ ...deps, limitScale, mcpLimits: limits })
  const connect = (user: McpUser, transport: Transport) => connectToolServer(user, transport, { version, calls })
  const sessions = new McpSessions(limits, { ...deps, connect })
  deps.metrics?.gauge('mcp_sessions', 'Open sessions of the tool protocol', [], () => sessions.size)
  const parts = { sessions, connect, corsOrigins, limits, isTokenGood, clock }
  return {
    routes: [...createLegacyRoutes(parts), ...createStreamableRoutes(parts)],
    drop: (sessionId) => sessions.drop(sessionId),
    service: createSweepingService('tool protocol', sessions, clock),
  }
}
