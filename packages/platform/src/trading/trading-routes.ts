import type { Clock } from '@keelson/primitives'
import { z } from 'zod'
import { ApiError } from '../http/api-error.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { NO_CHAIN } from '../market/chain/chains.ts'
import { orOutage } from '../market/tool-answer.ts'
import { ExecutionRefusal, ExecutionRequest, ExecutionResult, IdempotencyKey } from '../schemas/execution.ts'
import { PseudoQuoteRequest, Quote } from '../schemas/quote.ts'
import { RiskReport, RiskRequest } from '../schemas/risk.ts'
import { executeAndWait, ID_HEADER } from './execute-and-wait.ts'
import type { Executor } from './execution/executor.ts'
import type { Quoter } from './quote/quoter.ts'
import { answerQuote } from './quote-answer.ts'
import type { RiskAssessor } from './risk/assess.ts'

export interface TradingServices {
  readonly quotes: Quoter
  readonly risk: RiskAssessor
  readonly execution: Executor | null
}

export interface TradingRouteDependencies {
  readonly services: TradingServices | null
  readonly answerWaitMs: number
  readonly clock: Clock
}

const BASE = '/api/v1/multi-agent'
/** The record and its entries in the audit log, which stay when the user is deleted. */
const EXECUTION_BYTES = { bytes: 16_384, byUser: false } as const
const SHARED = { tag: 'multi-agent', auth: 'session', limit: RATE_LIMITS.write } as const
const EXECUTION = `${BASE}/execute/evm`
const RETRY_UNDECIDED_SEC = 2

const ExecutionHeaders = z.object({
  'idempotency-key': IdempotencyKey.optional().describe(
    'For a day, the same request with the same key returns the same execution and never trades twice. Without a key this holds for a request with a quote_id, and for others until their execution is finished',
  ),
})
const ExecutionId = z.object({ execution_id: z.string().min(1).max(100).describe(`From ${ID_HEADER} of the execution's response`) })

export function createTradingRoutes({ services, answerWaitMs, clock }: TradingRouteDependencies): readonly AnyRoute[] {
  const open = (): TradingServices => {
    if (services === null) throw new ApiError(503, NO_CHAIN.detail)
    return services
  }
  const openExecution = (): Executor => {
    const { execution } = open()
    if (execution === null) throw new ApiError(503, 'no wallet is configured for trading: the operator names some by --trading.config')
    return execution
  }

  return [
    defineRoute({
      ...SHARED,
      method: 'POST',
      path: `${BASE}/quote/evm/pseudo`,
      summary: 'A reference quote from oracle prices, valid for 30 seconds',
      body: PseudoQuoteRequest,
      answer: Quote,
      refusals: [400],
      handle: ({ body: { input }, caller }) =>
        orOutage(async () => answerQuote(await open().quotes.reference(input, caller.sessionId), input).quote),
    }),
    defineRoute({
      ...SHARED,
      method: 'POST',
      path: `${BASE}/risk/preview`,
      summary: 'The risk of a quote; unknown when data of a check is missing',
      body: RiskRequest,
      answer: RiskReport,
      handle: ({ body, caller }) => orOutage(() => open().risk.preview(body, caller.sessionId)),
    }),
    defineRoute({
      ...SHARED,
      method: 'POST',
      path: EXECUTION,
      summary: `Executes or simulates a swap; ${ID_HEADER} names an accepted execution, also in a 5xx`,
      limit: RATE_LIMITS.execution,
      timeout: 'execution',
      stores: EXECUTION_BYTES,
      headers: ExecutionHeaders,
      body: ExecutionRequest,
      answer: ExecutionResult,
      answerHeaders: { [ID_HEADER]: 'Id of the execution for GET .../execute/evm/{execution_id}; a simulation has none' },
      refusals: [400, 404, 409],
      refusalBodies: { 400: ExecutionRefusal },
      handle: ({ body, headers, caller: { userId, sessionId }, reply, signal }) =>
        executeAndWait(
          body,
          { userId, sessionId, idempotencyKey: headers['idempotency-key'] ?? null },
          { executor: openExecution(), answerWaitMs, clock, signal, name: (id) => void reply.header(ID_HEADER, id) },
        ),
    }),
    defineRoute({
      ...SHARED,
      method: 'GET',
      path: `${EXECUTION}/:execution_id`,
      summary: 'Status of an execution that was sent',
      limit: RATE_LIMITS.read,
      params: ExecutionId,
      answer: ExecutionResult,
      refusals: [404],
      async handle({ params, caller }) {
        const found = await openExecution().find(params.execution_id, caller.userId)
        if (found === null) throw new ApiError(404, 'there is no such execution of this user')
        if (found.kind === 'refused') throw new ApiError(404, `it was refused and nothing was sent: ${found.detail}`)
        if (found.kind === 'sent') return found.result
        const headers = { 'retry-after': String(RETRY_UNDECIDED_SEC) }
        throw new ApiError(503, 'it is not decided, nothing of it is signed yet: ask again, or order the very same again', { headers })
      },
    }),
  ]
}
