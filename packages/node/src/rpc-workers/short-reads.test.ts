import assert from 'node:assert/strict'
import { RawJson } from '@keelson/runtime'
import { ProcessorShare } from './processor-share.ts'
import { LongReadError, ShortReads } from './short-reads.ts'

describe('short reads', () => {
  const signal = new AbortController().signal

  function open(readMs: number, isLong = false) {
    const clock = { nowMs: 0 }
    const ran: string[] = []
    const state = { reads: 0, isIdle: true }
    const runner = (name: string) => ({
      threads: 2,
      get reads() {
        return state.reads
      },
      get isIdle() {
        return state.isIdle
      },
      async run(method: string, _params: readonly unknown[], _limitMs: number, _signal: AbortSignal, took?: (ms: number) => void) {
        ran.push(`${name} ${method}`)
        took?.(readMs)
        if (isLong && name === 'short') throw new LongReadError('long')
        return new RawJson('1')
      },
    })
    const share = new ProcessorShare({ share: 0.5, burstMs: 100 }, () => clock.nowMs)
    return { reads: new ShortReads(runner('short'), runner('other'), share), ran, clock, state }
  }

  it('run on their thread, traces and proofs on the others', async () => {
    const { reads, ran } = open(1)
    for (const method of ['eth_call', 'eth_getLogs', 'eth_getProof', 'debug_traceCall'] as const) await reads.run(method, [], 5_000, signal)
    assert.deepEqual(ran, ['short eth_call', 'short eth_getLogs', 'other eth_getProof', 'other debug_traceCall'])
  })

  it('that turn out to be long run again at low priority, and both runs are charged', async () => {
    const { reads, ran } = open(25, true)
    const charged: number[] = []
    await reads.run('eth_call', [], 5_000, signal, (ms) => charged.push(ms))
    assert.deepEqual(ran, ['short eth_call', 'other eth_call'])
    assert.deepEqual(charged, [50])
  })

  it('cannot keep more than a share of the processors from block building', async () => {
    const { reads, ran, clock } = open(60)
    for (let i = 0; i < 3; i++) await reads.run('eth_call', [], 5_000, signal)
    assert.deepEqual(ran, ['short eth_call', 'short eth_call', 'other eth_call'])
    clock.nowMs += 50
    await reads.run('eth_call', [], 5_000, signal)
    assert.equal(ran.at(-1), 'short eth_call')
  })

  it('use an idle thread of the others when there are many', async () => {
    const { reads, ran, state } = open(1)
    state.reads = 4
    await reads.run('eth_call', [], 5_000, signal)
    state.isIdle = false
    await reads.run('eth_call', [], 5_000, signal)
    assert.deepEqual(ran, ['other eth_call', 'short eth_call'])
  })
})
