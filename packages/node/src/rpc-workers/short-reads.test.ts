import assert from 'node:assert/strict'
import type { ReadRun } from '@keelson/execution'
import { RawJson } from '@keelson/runtime'
import { ClientShares } from './client-shares.ts'
import { LongReadError, ShortReads } from './short-reads.ts'

describe('short reads', () => {
  const read: ReadRun = { limitMs: 5_000, signal: new AbortController().signal, client: null }

  function open(readMs: number, isLong = false) {
    const clock = { nowMs: 0 }
    const ran: string[] = []
    const state = { reads: 0, isIdle: true, isBusy: false }
    const runner = (name: string) => ({
      threads: 2,
      get reads() {
        return state.reads
      },
      get isIdle() {
        return state.isIdle
      },
      async run(method: string, _params: readonly unknown[], { took }: ReadRun) {
        ran.push(`${name} ${method}`)
        took?.(readMs)
        if (isLong && name === 'short') throw new LongReadError('long')
        return new RawJson('1')
      },
    })
    const shares = new ClientShares({ share: 0.5, burstMs: 100 }, () => clock.nowMs)
    return { reads: new ShortReads(runner('short'), runner('other'), shares, () => state.isBusy), ran, clock, state }
  }

  it('run on their thread, traces and proofs on the others', async () => {
    const { reads, ran } = open(1)
    for (const method of ['eth_call', 'eth_getLogs', 'eth_getProof', 'debug_traceCall'] as const) await reads.run(method, [], read)
    assert.deepEqual(ran, ['short eth_call', 'short eth_getLogs', 'other eth_getProof', 'other debug_traceCall'])
  })

  it('that turn out to be long run again at low priority, and both runs are charged', async () => {
    const { reads, ran } = open(25, true)
    const charged: number[] = []
    await reads.run('eth_call', [], { ...read, took: (ms) => charged.push(ms) })
    assert.deepEqual(ran, ['short eth_call', 'other eth_call'])
    assert.deepEqual(charged, [50])
  })

  it('cannot keep more than a share of the processors from block building', async () => {
    const { reads, ran, clock } = open(60)
    for (let i = 0; i < 3; i++) await reads.run('eth_call', [], read)
    assert.deepEqual(ran, ['short eth_call', 'short eth_call', 'other eth_call'])
    clock.nowMs += 50
    await reads.run('eth_call', [], read)
    assert.equal(ran.at(-1), 'short eth_call')
  })

  it('of a client that floods leave a share to other clients', async () => {
    const { reads, ran } = open(20)
    const ask = (client: string) => reads.run('eth_call', [], { ...read, client })
    for (let i = 0; i < 4; i++) await ask('flood')
    await ask('honest')
    assert.deepEqual(ran, ['short eth_call', 'short eth_call', 'other eth_call', 'other eth_call', 'short eth_call'])
  })

  it('use an idle thread of the others when there are many and the machine is not busy', async () => {
    const { reads, ran, state } = open(1)
    state.reads = 4
    await reads.run('eth_call', [], read)
    state.isIdle = false
    await reads.run('eth_call', [], read)
    state.isIdle = true
    state.isBusy = true
    await reads.run('eth_call', [], read)
    assert.deepEqual(ran, ['other eth_call', 'short eth_call', 'short eth_call'])
  })
})
