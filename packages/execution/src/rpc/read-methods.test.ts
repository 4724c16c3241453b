import assert from 'node:assert/strict'
import { createManualClock, createRpcAccess, RawJson, type RpcCaller, type RpcContext } from '@keelson/runtime'
import { DEFAULT_EXECUTION_OPTIONS } from '../options.ts'
import { LONG_READ_RESERVE, lanedReadMethods, READ_MS_PER_TOKEN, type ReadRunner } from './read-methods.ts'

function threadsAt(readMs: number, threads = 4): ReadRunner {
  return {
    threads,
    async run(_method, _params, { took }) {
      await Promise.resolve()
      took?.(readMs)
      return new RawJson('null')
    },
  }
}

function strangers() {
  const clock = createManualClock()
  const access = createRpcAccess({ trusted: [], proxies: [] }, { clock })
  const callerAt = (peer: string): RpcCaller => {
    const entry = access.identify({ peer, path: '/', forwardedFor: undefined, authorization: undefined })
    assert.ok(entry.ok)
    return entry.caller
  }
  return { clock, callerAt }
}

const contextOf = (caller: RpcCaller): RpcContext => ({ signal: new AbortController().signal, transport: 'http', caller })
const options = DEFAULT_EXECUTION_OPTIONS.rpc

describe('reads in other threads', () => {
  it('charge the caller for thread time beyond the price', async () => {
    const { clock, callerAt } = strangers()
    const { methods } = lanedReadMethods(options, threadsAt(200 * READ_MS_PER_TOKEN))
    await methods.eth_call([], contextOf(callerAt('203.0.113.1')))
    assert.equal(callerAt('203.0.113.1').take(0), 490)
    await clock.advance(490)
    assert.equal(callerAt('203.0.113.1').take(0), 0)
    await methods.eth_simulateV1([], contextOf(callerAt('203.0.113.2')))
    assert.equal(callerAt('203.0.113.2').take(0), 400, 'ten were paid before')
  })

  it('start only for a caller with a reserve for long reads, and return its unused part', async () => {
    const { callerAt } = strangers()
    let began = 0
    const quick = threadsAt(0)
    const run: ReadRunner['run'] = (...read) => {
      began++
      return quick.run(...read)
    }
    const { methods } = lanedReadMethods(options, { ...quick, run })
    const caller = callerAt('203.0.113.1')
    assert.equal(caller.take(150 - LONG_READ_RESERVE + 1), 0)
    await assert.rejects(async () => methods.eth_simulateV1([], contextOf(caller)), { number: 429 })
    assert.equal(began, 0)
    await methods.eth_call([], contextOf(caller))
    caller.charge(-1)
    await methods.eth_simulateV1([], contextOf(caller))
    assert.equal(began, 2)
    assert.equal(caller.take(LONG_READ_RESERVE), 0)
  })

  it('run one at a time per untrusted client with few threads; those of other clients run concurrently', async () => {
    const { callerAt } = strangers()
    const ends: (() => void)[] = []
    const runner = (threads: number): ReadRunner => ({
      threads,
      run: () => new Promise((resolve) => ends.push(() => resolve(new RawJson('null')))),
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const few = lanedReadMethods(options, runner(2))
    const ask = ({ methods }: typeof few, peer: string) =>
      [methods.eth_call, methods.eth_getLogs, methods.debug_traceCall].map((method) => method([], contextOf(callerAt(peer))))
    const greedy = ask(few, '203.0.113.1')
    await turn()
    assert.equal(ends.length, 1)
    const other = ask(few, '203.0.113.2')
    await turn()
    assert.deepEqual([ends.length, few.waiting()], [2, 4])
    for (let ended = 0; ended < 6; ended++) {
      ends[ended]?.()
      await turn()
    }
    await Promise.all([...greedy, ...other])
    ends.length = 0
    const many = ask(lanedReadMethods(options, runner(4)), '203.0.113.3')
    await turn()
    assert.equal(ends.length, 3)
    for (const end of ends) end()
    await Promise.all(many)
  })

  it('cost only their price when they are fast', async () => {
    const { callerAt } = strangers()
    const { methods } = lanedReadMethods(options, threadsAt(READ_MS_PER_TOKEN))
    await methods.eth_call([], contextOf(callerAt('203.0.113.1')))
    assert.equal(callerAt('203.0.113.1').take(150), 0)
  })

  it('do not start for a caller in debt, but start for others', async () => {
    const { callerAt } = strangers()
    const { methods } = lanedReadMethods(options, threadsAt(1_000 * READ_MS_PER_TOKEN, 1))
    const call = (peer: string) => methods.eth_call([], contextOf(callerAt(peer)))
    const answers = await Promise.allSettled([...Array.from({ length: 20 }, () => call('203.0.113.1')), call('203.0.113.2')])
    const refused = answers.filter(({ status }) => status === 'rejected').map((answer) => (answer as PromiseRejectedResult).reason.number)
    assert.deepEqual(refused, Array(19).fill(429))
    assert.equal(answers.at(-1)?.status, 'fulfilled')
  })
})
