import assert from 'node:assert/strict'
import { createManualClock, type ManualClock } from '@keelson/runtime'
import { ApiError } from '../http/api-error.ts'
import { SourceError } from '../market/source-error.ts'
import type { ExecutionResult } from '../schemas/execution.ts'
import { type ExecutionWait, executeAndWait } from './execute-and-wait.ts'
import { callerWith, order } from './execution/trading-world.test-support.ts'

const RESULT: ExecutionResult = { tx: { to: '', data: '', value: '0', gas: '0' }, explorer_url: null, status: 'pending', message: 'sent' }
const NEVER = new Promise<never>(() => undefined)
const lost = () => Object.assign(new Error('connection is gone'), { code: '08006' })

interface Answer {
  readonly result: ExecutionResult | null
  readonly error: unknown
  readonly named: string | null
}

async function answerOf(executor: ExecutionWait['executor'], clock: ManualClock = createManualClock(0)): Promise<Answer> {
  let named: string | null = null
  let over = false
  const { signal } = new AbortController()
  const answered = executeAndWait(order(), callerWith(null), { executor, answerWaitMs: 1_000, clock, signal, name: (id) => (named = id) })
    .then(
      (result) => ({ result, error: null }),
      (error: unknown) => ({ result: null, error }),
    )
    .finally(() => (over = true))
  for (let i = 0; i < 300 && !over; i++) await clock.advance(250)
  return { ...(await answered), named }
}

function assertTaken({ error, named }: Answer, why: RegExp): void {
  assert.ok(error instanceof ApiError)
  assert.equal(error.status, 503)
  assert.match(error.message, why)
  assert.match(error.message, /was taken as execution e1 and may be sent: ask GET .*\/execute\/evm\/e1/)
  assert.equal(named, 'e1')
  assert.ok(Number(error.headers['retry-after']) > 0)
}

describe('orders whose answer fails', () => {
  it('a trade that was sent is answered as sent while the database is away', async () => {
    const execute = async () => ({ kind: 'done', result: RESULT, executionId: 'e1' }) as const
    const { result, named } = await answerOf({ execute, find: () => Promise.reject(lost()) })
    assert.deepEqual([result, named], [RESULT, 'e1'])
  })

  it('a 503 after the order was written down says so, and names it', async () => {
    for (const [failure, why] of [
      [lost(), /^the database cannot be reached/],
      [new SourceError('chain 1', 'unreachable', 'no answer'), /no answer/],
    ] as const) {
      const execute: ExecutionWait['executor']['execute'] = async (_request, _caller, tellId) => {
        tellId?.('e1')
        throw failure
      }
      assertTaken(await answerOf({ execute, find: async () => null }), why)
    }
  })

  it('an order that is still worked on when the time is over is named, before the time of the request is', async () => {
    const execute: ExecutionWait['executor']['execute'] = (_request, _caller, tellId) => {
      tellId?.('e1')
      return NEVER
    }
    const clock = createManualClock(0)
    assertTaken(await answerOf({ execute, find: async () => null }, clock), /no answer after 50 s/)
    assert.ok(clock.nowMs() < 60_000)
  })

  it('a trade that was sent is answered when the database hangs', async () => {
    const execute = async () => ({ kind: 'done', result: RESULT, executionId: 'e1' }) as const
    const { result, named } = await answerOf({ execute, find: () => NEVER })
    assert.deepEqual([result, named], [RESULT, 'e1'])
  })

  it('what nobody foresaw has the name too, and what failed before has none', async () => {
    const bug = new TypeError('a mistake of ours')
    const after = await answerOf({
      execute: async (_request, _caller, tellId) => {
        tellId?.('e1')
        throw bug
      },
      find: async () => null,
    })
    assert.deepEqual([after.error, after.named], [bug, 'e1'])
    const before = await answerOf({ execute: () => Promise.reject(lost()), find: async () => null })
    assert.deepEqual([(before.error as { code?: string }).code, before.named], ['08006', null])
  })

  it('a refusal is none of this: nothing was sent and nothing is named', async () => {
    const execute: ExecutionWait['executor']['execute'] = async (_request, _caller, tellId) => {
      tellId?.('e1')
      return { kind: 'refused', refusal: { code: 'funds', detail: 'too little', field: null, rule: null, report: null } }
    }
    const { error, named } = await answerOf({ execute, find: async () => null })
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, named], [400, null])
  })

  it('one that waits for another of the wallet is named, and says that nothing was sent', async () => {
    const execute: ExecutionWait['executor']['execute'] = async (_request, _caller, tellId) => {
      tellId?.('e1')
      return { kind: 'busy', detail: 'nothing was sent' }
    }
    const { error, named } = await answerOf({ execute, find: async () => null })
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.message, named], [503, 'nothing was sent', 'e1'])
  })
})
