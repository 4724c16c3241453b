/**
 * Tools as the protocol sees them. What a tool refuses, a source that is away, a time that is over: all are results with
 * `isError`, which a model reads and acts on; only a tool that is not there, or a failure of ours, is a protocol error.
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
import { describeTool } from '../schemas/tool-list.ts'
import type { AnyTool, ToolEffect } from '../tools/tool.ts'
import type { Toolbox, ToolCallResult } from '../tools/toolbox.ts'
import type { McpLimits } from './mcp-limits.ts'
import { ProtocolFailure } from './protocol-failure.ts'

export interface ToolCallDependencies {
  readonly toolbox: Toolbox
  readonly limits: RateLimitStore
  readonly limitScale: number
  readonly mcpLimits: McpLimits
  /** Whether a failure is of something that will come back, the database for one. */
  isOutage(error: unknown): boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

/** For whom a connection was made. */
export interface McpUser {
  readonly caller: SessionCaller | null
  /** Address, or /64 of one. */
  readonly subscriber: string
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
}

export interface ToolCalls {
  list(user: McpUser): readonly Tool[]
  /** Throws ProtocolFailure. */
  call(user: McpUser, name: string, args: unknown, signal: AbortSignal): Promise<CallToolResult>
  movesMoney(name: string): boolean
}

const STANDARD_MS = 30_000
const EXECUTION_MS = 60_000
const RESEARCH_MS = 120_000
const RESEARCH_TOOL = 'research_run'

export function createToolCalls(deps: ToolCallDependencies): ToolCalls {
  const { toolbox, mcpLimits, clock } = deps
  const callerLimits = createCallerLimits(deps.limits, deps.limitScale)
  const log = deps.log.child('mcp')
  const every: readonly ToolEffect[] = ['reads', 'moves-money']
  const all = toolbox.list({ session: true, effects: every })
  const byName = new Map(all.map((tool) => [tool.name, tool]))
  const described = new Map(all.map((tool) => [tool.name, toolEntry(tool)]))
  const counted = deps.metrics?.counter('mcp_calls_total', 'Calls of tools over the tool protocol', ['tool', 'outcome'])
  const seconds = deps.metrics?.histogram('mcp_call_seconds', 'Time a call of a tool took', ['tool'])
  let underWay = 0
  /** Of them, those without a token: they leave places to those with one. */
  let strangers = 0
  deps.metrics?.gauge('mcp_calls_under_way', 'Calls of tools that are being answered', [], () => underWay)

  return {
    list: ({ caller }) =>
      toolbox.list({ session: caller !== null, effects: effectsFor(caller) }).map(({ name }) => described.get(name) as Tool),
    movesMoney: (name) => byName.get(name)?.effect === 'moves-money',
    async call(user, name, args, signal) {
      const tool = byName.get(name)
      if (tool === undefined) throw new ProtocolFailure('invalid-params', `Unknown tool: ${name.slice(0, 100)}`)
      if (user.caller === null && (tool.access === 'session' || tool.effect === 'moves-money'))
        throw new ProtocolFailure('invalid-params', `${name} needs the token of a session: Authorization: Bearer TOKEN`)
      const wait = await secondsToWait(tool, user)
      if (wait > 0) return failed(`rate limit exceeded: call ${name} again in ${wait} s`)
      const isStranger = user.caller === null
      if (underWay >= mcpLimits.calls || (isStranger && strangers >= mcpLimits.callsOfStrangers))
        return failed('too many calls at once: try again in a moment')
      underWay++
      if (isStranger) strangers++
      const startMs = clock.monotonicMs()
      let outcome = 'failure'
      try {
        const result = await within(tool, user, signal, (limited) =>
          toolbox.call(name, args, { caller: user.caller, signal: limited }, effectsFor(user.caller)),
        )
        outcome = result.ok ? 'ok' : result.reason
        return resultOf(result, mcpLimits.resultBytes)
      } catch (error) {
        if (error instanceof ApiError || error instanceof InvalidRequest) {
          outcome = 'refused'
          return failed(error.message)
        }
        if (deps.isOutage(error)) {
          outcome = 'unavailable'
          return failed('the database cannot be reached: try again in a moment')
        }
        log.error('a tool failed', { tool: name, ...failureFacts(error) })
        throw new ProtocolFailure('internal', 'Internal error')
      } finally {
        underWay--
        if (isStranger) strangers--
        const tookMs = clock.monotonicMs() - startMs
        counted?.inc(1, { tool: name, outcome })
        seconds?.observe(tookMs / 1000, { tool: name })
        log.debug('called', { tool: name, outcome, tookMs: Math.round(tookMs) })
      }
    },
  }

  /** Tools with an endpoint of a tighter limit are not reached more often here. */
  async function secondsToWait(tool: AnyTool, user: McpUser): Promise<number> {
    const limit: RateLimit | null =
      tool.effect === 'moves-money' ? RATE_LIMITS.execution : tool.name === RESEARCH_TOOL ? RATE_LIMITS.research : null
    if (limit === null) return 0
    const { allowed, retryAfterMs } = await callerLimits.take(`mcp ${tool.name}`, user, limit)
    return allowed ? 0 : Math.max(1, Math.ceil(retryAfterMs / 1000))
  }

  /** Throws ApiError 503 when the time is over, or the server stops. */
  async function within(
    tool: AnyTool,
    { stopping }: McpUser,
    left: AbortSignal,
    work: (signal: AbortSignal) => Promise<ToolCallResult>,
  ): Promise<ToolCallResult> {
    const limitMs = tool.effect === 'moves-money' ? EXECUTION_MS : tool.name === RESEARCH_TOOL ? RESEARCH_MS : STANDARD_MS
    const over = new AbortController()
    const timer = new AbortController()
    const late = clock.sleep(limitMs, timer.signal).then(() => {
      const next = tool.effect === 'moves-money' ? 'it may go on, so ask what became of it, or for the very same again' : 'try again'
      const error = new ApiError(503, `${tool.name} took longer than ${limitMs / 1000} s: ${next}`)
      over.abort(error)
      throw error
    })
    // when the work wins, the timer is aborted and nobody waits for it
    late.catch(() => undefined)
    // whoever calls cannot stop half way what moves money: it ends by itself and its record says how
    const signals = tool.effect === 'moves-money' ? [over.signal, stopping] : [over.signal, stopping, left]
    try {
      return await Promise.race([work(AbortSignal.any(signals)), late])
    } finally {
      timer.abort()
    }
  }
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
  // without what JSON does not have, as the text is
  const value: unknown = JSON.parse(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { content: [{ type: 'text', text }], structuredContent: isObject ? (value as Record<string, unknown>) : { result: value } }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
