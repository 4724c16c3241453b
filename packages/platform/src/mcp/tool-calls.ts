/**
 * Refusals, unavailable sources and time limits are results with `isError`; unknown tools and internal failures are protocol
 * errors.
 */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { ApiError, InvalidRequest } from '../http/api-error.ts'
import { createCallerLimits } from '../http/caller-limits.ts'
import { failureFacts } from '../http/failure-facts.ts'
import type { RateLimitStore } from '../http/rate-limit-store.ts'
import { RATE_LIMITS, type RateLimit } from '../http/rate-limits.ts'
import type { SessionCaller } from '../http/route.ts'
import { withTimeLimit } from '../http/time-limit.ts'
import { Places } from '../places.ts'
import { describeTool } from '../schemas/tool-list.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import type { AnyTool, ToolEffect } from '../tools/tool.ts'
import type { Toolbox, ToolCallResult } from '../tools/toolbox.ts'
import type { McpLimits } from './mcp-limits.ts'
import { ProtocolFailure } from './protocol-failure.ts'

export interface ToolCallDependencies {
  readonly toolbox: Toolbox
  readonly limits: RateLimitStore
  readonly limitScale: number
  readonly mcpLimits: McpLimits
  isOutage(error: unknown): boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
  readonly storage?: StorageQuota
}

export interface McpUser {
  readonly caller: SessionCaller | null
  readonly subscriber: string
  readonly stopping: AbortSignal
}

export interface ToolCalls {
  list(user: McpUser): readonly Tool[]
  call(user: McpUser, name: string, args: unknown, signal: AbortSignal): Promise<CallToolResult>
  movesMoney(name: string): boolean
}

/** `limit` is for tools with a stricter rate limit than /mcp. */
interface Bounds {
  readonly limitMs: number
  readonly limit: RateLimit | null
}
/** The record of an execution and its entries in the audit log. */
const EXECUTION_BYTES = 16_384
const STANDARD: Bounds = { limitMs: 30_000, limit: null }
const EXECUTION: Bounds = { limitMs: 60_000, limit: RATE_LIMITS.execution }
const RESEARCH: Bounds = { limitMs: 120_000, limit: RATE_LIMITS.research }

export function createToolCalls(deps: ToolCallDependencies): ToolCalls {
  const { toolbox, mcpLimits, clock } = deps
  const callerLimits = createCallerLimits(deps.limits, deps.limitScale)
  const log = deps.log.child('mcp')
  const all = toolbox.list({ session: true, effects: ['reads', 'moves-money'] })
  const byName = new Map(all.map((tool) => [tool.name, { tool, entry: toolEntry(tool) }]))
  const counted = deps.metrics?.counter('mcp_calls_total', 'Calls of tools over the tool protocol', ['tool', 'outcome'])
  const seconds = deps.metrics?.histogram('mcp_call_seconds', 'Time of a tool call', ['tool'])
  const places = new Places({ all: mcpLimits.calls, strangers: mcpLimits.callsOfStrangers })
  deps.metrics?.gauge('mcp_calls_under_way', 'Tool calls in progress', [], () => places.taken('all'))

  /** A tool that moves money is aborted only by the server's stop or the time limit. */
  function run(tool: AnyTool, args: unknown, { caller, subscriber, stopping }: McpUser, left: AbortSignal): Promise<ToolCallResult> {
    const { limitMs } = boundsOf(tool)
    const movesMoney = tool.effect === 'moves-money'
    const next = movesMoney ? 'it may still complete, so query its state or send the same call again' : 'try again'
    const tooLate = () => new ApiError(503, `${tool.name} took longer than ${limitMs / 1000} s: ${next}`)
    return withTimeLimit({ limitMs, clock, signals: movesMoney ? [stopping] : [stopping, left], tooLate }, async (signal) => {
      if (movesMoney) await deps.storage?.admit({ userId: null, subscriber }, EXECUTION_BYTES)
      return toolbox.call(tool.name, args, { caller, signal }, effectsFor(caller))
    })
  }

  async function outcomeOf(work: Promise<ToolCallResult>, name: string): Promise<readonly [outcome: string, CallToolResult]> {
    try {
      const result = await work
      return [result.ok ? 'ok' : result.reason, resultOf(result, mcpLimits.resultBytes)]
    } catch (error) {
      if (error instanceof ApiError || error instanceof InvalidRequest) return ['refused', failed(error.message)]
      if (deps.isOutage(error)) return ['unavailable', failed('the database cannot be reached: try again in a moment')]
      log.error('tool failed', { tool: name, ...failureFacts(error) })
      throw new ProtocolFailure('internal', 'Internal error')
    }
  }

  async function secondsToWait(tool: AnyTool, user: McpUser): Promise<number> {
    const { limit } = boundsOf(tool)
    if (limit === null) return 0
    const { allowed, retryAfterMs } = await callerLimits.take(`mcp ${tool.name}`, user, limit)
    return allowed ? 0 : Math.max(1, Math.ceil(retryAfterMs / 1000))
  }

  return {
    list: ({ caller }) =>
      toolbox.list({ session: caller !== null, effects: effectsFor(caller) }).flatMap(({ name }) => byName.get(name)?.entry ?? []),
    movesMoney: (name) => byName.get(name)?.tool.effect === 'moves-money',
    async call(user, name, args, signal) {
      const { tool } = byName.get(name) ?? {}
      if (tool === undefined) throw new ProtocolFailure('invalid-params', `Unknown tool: ${name.slice(0, 100)}`)
      const isStranger = user.caller === null
      if (isStranger && (tool.access === 'session' || tool.effect === 'moves-money'))
        throw new ProtocolFailure('invalid-params', `${name} needs the token of a session: Authorization: Bearer TOKEN`)
      const wait = await secondsToWait(tool, user)
      if (wait > 0) return failed(`rate limit exceeded: call ${name} again in ${wait} s`)
      const leave = places.take(isStranger ? { all: '', strangers: '' } : { all: '' })
      if (typeof leave === 'string') return failed('too many calls at once: try again in a moment')
      const startMs = clock.monotonicMs()
      let outcome = 'failure'
      try {
        const [ended, result] = await outcomeOf(run(tool, args, user, signal), name)
        outcome = ended
        return result
      } finally {
        leave()
        const tookMs = clock.monotonicMs() - startMs
        counted?.inc(1, { tool: name, outcome })
        seconds?.observe(tookMs / 1000, { tool: name })
        log.debug('called', { tool: name, outcome, tookMs: Math.round(tookMs) })
      }
    },
  }
}

function boundsOf({ effect, name }: AnyTool): Bounds {
  if (effect === 'moves-money') return EXECUTION
  return name === 'research_run' ? RESEARCH : STANDARD
}

function effectsFor(caller: SessionCaller | null): readonly ToolEffect[] {
  return caller === null ? ['reads'] : ['reads', 'moves-money']
}

function toolEntry({ name, title, description, input, effect }: AnyTool): Tool {
  const reads = effect === 'reads'
  return {
    name,
    title,
    description,
    inputSchema: { ...describeTool(name, description, input).input_schema, type: 'object' },
    annotations: { title, readOnlyHint: reads, destructiveHint: !reads, ...(reads ? {} : { idempotentHint: false }), openWorldHint: true },
  }
}

function resultOf(result: ToolCallResult, maxBytes: number): CallToolResult {
  if (!result.ok) return failed(result.reason === 'unavailable' ? `unavailable: ${result.detail}` : result.detail)
  const text = JSON.stringify(result.value) ?? 'null'
  if (text.length * 2 > maxBytes) return failed('the result is too large: ask for less')
  // parsed again, so that structuredContent is what JSON can express
  const value: unknown = JSON.parse(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { content: [{ type: 'text', text }], structuredContent: isObject ? (value as Record<string, unknown>) : { result: value } }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
