import assert from 'node:assert/strict'
import { createManualClock, createRpcAccess, RawJson, type RpcCaller, type RpcContext } from '@keelson/runtime'
import { DEFAULT_EXECUTION_OPTIONS } from '../options.ts'
import { lanedReadMethods, READ_MS_PER_TOKEN, type ReadRunner } from './read-methods.ts'
import type { ReadDependencies } from './rpc-dependencies.ts'

/** Threads that say each read took so long. */
function threadsAt(readMs: number, threads = 4): ReadRunner {
  return {
    threads,
    async run(_method, _params, _limitMs, _signal, took) {
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
const dependencies = { options: DEFAULT_EXECUTION_OPTIONS.rpc } as unknown as ReadDependencies

describe('reads in other threads', () => {
  it('charge their caller for the time that they take, beyond their price', async () => {
    const { clock, callerAt } = strangers()
    const { methods } = lanedReadMethods(dependencies, threadsAt(200 * READ_MS_PER_TOKEN))
    await methods.eth_call([], contextOf(callerAt('203.0.113.1')))
    // 150 at once, less 199, at 100 a second
    assert.equal(callerAt('203.0.113.1').take(0), 490)
    await clock.advance(490)
    assert.equal(callerAt('203.0.113.1').take(0), 0)
    await methods.eth_simulateV1([], contextOf(callerAt('203.0.113.2')))
    assert.equal(callerAt('203.0.113.2').take(0), 400, 'ten were paid before')
  })

  it('cost no more than their price when they are quick', async () => {
    const { callerAt } = strangers()
    const { methods } = lanedReadMethods(dependencies, threadsAt(READ_MS_PER_TOKEN))
    await methods.eth_call([], contextOf(callerAt('203.0.113.1')))
    assert.equal(callerAt('203.0.113.1').take(150), 0)
  })

  it('do not begin for a caller whose earlier ones cost more than its tokens; those of others do', async () => {
    const { callerAt } = strangers()
    const { methods } = lanedReadMethods(dependencies, threadsAt(1_000 * READ_MS_PER_TOKEN, 1))
    const [greedy, other] = [contextOf(callerAt('203.0.113.1')), contextOf(callerAt('203.0.113.2'))]
    const answers = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => methods.eth_call([], greedy)),
      methods.eth_call([], other),
    ])
    const refused = answers.filter(({ status }) => status === 'rejected').map((answer) => (answer as PromiseRejectedResult).reason.number)
    assert.deepEqual(refused, Array(19).fill(429))
    assert.equal(answers.at(-1)?.status, 'fulfilled')
  })
})
