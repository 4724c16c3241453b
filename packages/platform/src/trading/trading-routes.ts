/** /api/v1/multi-agent: quotes, risk and executions as endpoints. */
import type { Clock } from '@keelson/primitives'
import { z } from 'zod'
import { ApiError } from '../http/api-error.ts'
import { type AnyRoute, defineRoute, RATE_LIMITS } from '../http/route.ts'
import { ExecutionRequest, ExecutionResult, IdempotencyKey } from '../schemas/execution.ts'
import { PseudoQuoteRequest, Quote } from '../schemas/quote.ts'
import { RiskReport, RiskRequest } from '../schemas/risk.ts'
import { orOutage } from '../tools/tool-answer.ts'
import type { ExecutionDesk } from './execution/execution-desk.ts'
import { answerExecution } from './execution-answer.ts'
import type { QuoteDesk } from './quote/quote-desk.ts'
import { answerQuote } from './quote-answer.ts'
import type { RiskDesk } from './risk/assess.ts'

export interface TradingDesks {
  readonly quotes: QuoteDesk
  readonly risk: RiskDesk
  /** Null when no wallet is configured. */
  readonly execution: ExecutionDesk | null
}

export interface TradingRouteDependencies {
  /** Null when no chain is configured. */
  readonly desks: TradingDesks | null
  /** How long an answer waits for the chain to decide. */
  readonly answerWaitMs: number
  readonly clock: Clock
}

const BASE = '/api/v1/multi-agent'
const EXECUTION = `${BASE}/execute/evm`
const ID_HEADER = 'X-Execution-Id'
const LOOK_AGAIN_MS = 250

const ExecutionHeaders = z.object({
  'idempotency-key': IdempotencyKey.optional().describe(
    'Honoured for a day: the same request with the same key is answered by the same execution and never trades twice',
  ),
})
const ExecutionId = z.object({ execution_id: z.string().min(1).max(100).describe(`As ${ID_HEADER} of the execution's answer said it`) })

export function createTradingRoutes({ desks, answerWaitMs, clock }: TradingRouteDependencies): readonly AnyRoute[] {
  const open = (): TradingDesks => {
    if (desks === null) throw new ApiError(503, 'no chain is configured: name the RPC of one')
    return desks
  }
  const openExecution = (): ExecutionDesk => {
    const { execution } = open()
    if (execution === null) throw new ApiError(503, 'no wallet is configured for trading')
    return execution
  }

  /** As it is when the chain has decided, or the time is over. */
  async function decided(first: ExecutionResult, id: string, userId: number, signal: AbortSignal): Promise<ExecutionResult> {
    const untilMs = clock.nowMs() + answerWaitMs
    let result = first
    while (result.status === 'pending' && clock.nowMs() < untilMs && !signal.aborted) {
      // who stops the server has not undone what was sent: it is answered as it is
      await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined)
      result = (await openExecution().find(id, userId)) ?? result
    }
    return result
  }

  return [
    defineRoute({
      method: 'POST',
      path: `${BASE}/quote/evm/pseudo`,
      tag: 'multi-agent',
      summary: 'A reference quote from oracle prices, good for half a minute',
      auth: 'session',
      limit: RATE_LIMITS.write,
      body: PseudoQuoteRequest,
      answer: Quote,
      refusals: [400],
      handle: ({ body: { input }, caller }) =>
        orOutage(async () => answerQuote(await open().quotes.reference(input, caller.sessionId), input).quote),
    }),
    defineRoute({
      method: 'POST',
      path: `${BASE}/risk/preview`,
      tag: 'multi-agent',
      summary: 'The risk of a quote; a check whose data is missing makes it unknown',
      auth: 'session',
      limit: RATE_LIMITS.write,
      body: RiskRequest,
      answer: RiskReport,
      handle: ({ body, caller }) => orOutage(() => open().risk.preview(body, caller.sessionId)),
    }),
    defineRoute({
      method: 'POST',
      path: EXECUTION,
      tag: 'multi-agent',
      summary: `Executes or simulates a swap; what was sent is named by ${ID_HEADER}`,
      auth: 'session',
      limit: RATE_LIMITS.execution,
      timeout: 'execution',
      headers: ExecutionHeaders,
      body: ExecutionRequest,
      answer: ExecutionResult,
      refusals: [400, 404, 409],
      handle: ({ body, headers, caller, reply, signal }) =>
        orOutage(async () => {
          const { userId, sessionId } = caller
          const asked = { userId, sessionId, idempotencyKey: headers['idempotency-key'] ?? null }
          const { result, executionId } = answerExecution(await openExecution().execute(body, asked), body)
          if (executionId === null) return result
          reply.header(ID_HEADER, executionId)
          return decided(result, executionId, userId, signal)
        }),
    }),
    defineRoute({
      method: 'GET',
      path: `${EXECUTION}/:execution_id`,
      tag: 'multi-agent',
      summary: 'What became of an execution that was sent',
      auth: 'session',
      limit: RATE_LIMITS.read,
      params: ExecutionId,
      answer: ExecutionResult,
      refusals: [404],
      async handle({ params, caller }) {
        const result = await openExecution().find(params.execution_id, caller.userId)
        if (result === null) throw new ApiError(404, 'there is no such execution of this user')
        return result
      },
    }),
  ]
}
