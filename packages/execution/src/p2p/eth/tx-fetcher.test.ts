import assert from 'node:assert/strict'
import { bytesToHex, type Hash, keccak256Hash, rlpEncode, TX_LEGACY } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import type { EthPeer } from './eth-peer.ts'
import { type FetchingPeer, TxFetcher } from './tx-fetcher.ts'

/** An RLP list, so a legacy transaction as far as requests are concerned. */
const RAW = rlpEncode([1n, 2n, 3n])
const HASH = keccak256Hash(RAW)
const ANNOUNCED = { hash: HASH, type: TX_LEGACY, size: RAW.length }
type Answer = 'silent' | 'empty' | 'whole' | 'late and empty'

class World {
  readonly clock = createManualClock(0)
  readonly log: string[] = []
  readonly held = new Set<Hash>()
  readonly silent: string[] = []
  readonly fetcher = new TxFetcher(
    { find: (hash) => (this.held.has(hash) ? ({} as never) : null) },
    this.clock,
    (peer, reason) => void this.silent.push(`${(peer as FetchingPeer & { name: string }).name}: ${reason}`),
  )

  peer(name: string, answer: Answer): FetchingPeer {
    const request = async (_code: number, _response: number, _fields: unknown, signal: AbortSignal) => {
      this.log.push(`${name} ${this.clock.nowMs() / 1_000}`)
      if (answer === 'whole') return [rlpEncode([RAW])]
      if (answer === 'empty') return [rlpEncode([])]
      if (answer === 'late and empty') {
        await this.clock.sleep(4_900, signal)
        return [rlpEncode([])]
      }
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const peer = {
      name,
      eth: { session: { disconnect: async () => undefined }, requests: { request } } as unknown as EthPeer,
      wanted: new Map(),
      busy: false,
      receive: (encoded: readonly Uint8Array[]) => {
        for (const raw of encoded) this.held.add(keccak256Hash(raw))
      },
    }
    this.fetcher.join(peer)
    return peer
  }

  askedOf(name: string): number {
    return this.log.filter((line) => line.startsWith(`${name} `)).length
  }
}

describe('fetching announced transactions', () => {
  for (const conduct of ['silent', 'empty', 'late and empty'] as const) {
    it(`a peer that is ${conduct} and announces a transaction over and over does not keep it from being fetched`, async () => {
      const world = new World()
      const hostile = world.peer('hostile', conduct)
      const honest = world.peer('honest', 'whole')
      world.fetcher.announced(hostile, [ANNOUNCED])
      world.fetcher.announced(honest, [ANNOUNCED])
      for (let step = 0; step < 12 && !world.held.has(HASH); step++) {
        await world.clock.advance(500)
        world.fetcher.announced(hostile, [ANNOUNCED])
      }
      assert.deepEqual([...world.held], [HASH])
      assert.equal(world.askedOf('honest'), 1)
    })
  }

  it('forty silent peers delay a transaction by half a minute, not by five seconds each', async () => {
    const world = new World()
    for (let i = 0; i < 40; i++) world.fetcher.announced(world.peer(`silent${i}`, 'silent'), [ANNOUNCED])
    world.fetcher.announced(world.peer('honest', 'whole'), [ANNOUNCED])
    for (let sec = 0; sec < 30; sec++) await world.clock.advance(1_000)
    assert.ok(world.held.has(HASH), world.log.join('\n'))
  })

  it('a peer that never answers rests longer each time, and is reported at its fifth request', async () => {
    const world = new World()
    const hostile = world.peer('hostile', 'silent')
    for (let sec = 0; sec < 120; sec++) {
      const hash = keccak256Hash(new Uint8Array([sec]))
      world.fetcher.announced(hostile, [{ ...ANNOUNCED, hash }])
      await world.clock.advance(1_000)
    }
    // Five seconds for each request, then a rest of 2, 4, 8, 16 and 32 seconds.
    assert.deepEqual(world.log, ['hostile 0', 'hostile 7', 'hostile 16', 'hostile 29', 'hostile 50', 'hostile 87'])
    assert.deepEqual(world.silent[0], 'hostile: 5 requests for transactions in a row got no answer')
  })

  it('a peer that answers now and then is not reported', async () => {
    const world = new World()
    let answers = 0
    const peer = world.peer('slow', 'silent')
    const { request } = peer.eth.requests
    const every4th: typeof request = (...args) =>
      ++answers % 4 === 0 ? Promise.resolve([rlpEncode([])]) : request.apply(peer.eth.requests, args)
    Object.assign(peer.eth.requests, { request: every4th })
    for (let sec = 0; sec < 600; sec++) {
      world.fetcher.announced(peer, [{ ...ANNOUNCED, hash: bytesToHex(new Uint8Array(32).fill(sec % 256)) as Hash }])
      await world.clock.advance(1_000)
    }
    assert.ok(answers > 20)
    assert.deepEqual(world.silent, [])
  })
})
