import assert from 'node:assert/strict'
import { ClientError } from '@keelson/client'
import type { DoubleBlock, Offences, StakingRefusal } from '@keelson/contracts'
import { bytesToHex, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMetrics, createSeededRandom, createSilentLogger, type ManualClock } from '@keelson/runtime'
import { addressOf, hashOf } from '../attestation.test-support.ts'
import type { OpenOffence } from './offence-chain.ts'
import { createOffenceWatcher } from './offence-watcher.ts'

const NONE: Offences = { doubleAttestations: [], invalidAttestations: [], doubleBlocks: [] }
const CONTRACT = addressOf(80)
const BLOCK_MS = 2_000

function pair(of: number, number: number): DoubleBlock {
  const block = (half: number) => ({
    blockHash: hashOf(of * 1_000_000 + half * 1_000 + number),
    signedPart: Uint8Array.of(of, number, half),
    signature: new Uint8Array(65),
  })
  return { blockKey: addressOf(of), number, parentHash: hashOf(number), sourceHash: hashOf(number), first: block(1), second: block(2) }
}

function createNotes(pairs: readonly DoubleBlock[]) {
  const notes = new Map<string, Set<string>>()
  const slashed = new Set<string>()
  const noted = new Set<string>()
  const placeOf = (label: string) => pairs.find(({ first, second }) => label.endsWith(first.blockHash) || label.endsWith(second.blockHash))
  return {
    slashed,
    note(label: string, data: Uint8Array) {
      noted.add(bytesToHex(data))
      const found = placeOf(label)
      if (found === undefined) return
      const place = `${found.blockKey} ${found.number}`
      notes.set(place, (notes.get(place) ?? new Set()).add(label))
      if ((notes.get(place)?.size ?? 0) > 1) slashed.add(found.blockKey)
    },
    isNoted: (data: Uint8Array) => noted.has(bytesToHex(data)),
    isSlashed(data: Uint8Array) {
      const found = pairs.find(({ first, second }) => [first, second].some(({ signedPart }) => includes(data, signedPart)))
      return found !== undefined && slashed.has(found.blockKey)
    },
  }
}

function includes(data: Uint8Array, part: Uint8Array): boolean {
  for (let at = 0; at + part.length <= data.length; at++)
    if (data[at - 1] === part.length && part.every((byte, i) => data[at + i] === byte)) return true
  return false
}

interface World {
  readonly clock: ManualClock
  readonly notes: ReturnType<typeof createNotes>
  readonly sent: string[]
  mined: () => Promise<void>
  fails: number
  seen: Offences
  overdue: OpenOffence[]
  refuse: (what: 'offences' | 'overdue' | 'attested' | 'asked' | 'sent', label: string) => void
}

function createWorld(pairs: readonly DoubleBlock[]): World {
  const clock = createManualClock(1_800_000_000_000)
  return {
    clock,
    notes: createNotes(pairs),
    sent: [],
    mined: () => clock.advance(BLOCK_MS),
    fails: 0,
    seen: { ...NONE, doubleBlocks: pairs },
    overdue: [],
    refuse: () => undefined,
  }
}

function newWatcher(world: World, { maxDelayMs = 8_000, seed = 2, perHour = 60 } = {}) {
  const own: string[] = []
  const watcher = createOffenceWatcher(
    { contract: CONTRACT, pollIntervalMs: 10_000, maxDelayMs, maxReportsPerHour: perHour },
    {
      offences: {
        async offences() {
          world.refuse('offences', '')
          return world.seen
        },
      },
      attested: { passOn: async () => world.refuse('attested', '') },
      chain: {
        async overdue() {
          world.refuse('overdue', '')
          return world.overdue
        },
        async refusalOf(data): Promise<StakingRefusal | null> {
          world.refuse('asked', '')
          if (world.notes.isNoted(data)) return { name: 'AlreadyReported', words: 'known' }
          return world.notes.isSlashed(data) ? { name: 'SlashedForGood', words: 'out' } : null
        },
      },
      sender: {
        recover: async () => [],
        async send({ label = '', data }) {
          world.refuse('sent', label)
          world.sent.push(label)
          own.push(label)
          await world.mined()
          const succeeded = world.fails === 0
          if (succeeded) world.notes.note(label, data)
          else world.fails--
          const costs = { gasUsed: 1n, effectiveGasPriceWei: 1n, blobGasUsed: 0n, blobGasPriceWei: 0n }
          return { transactionHash: ZERO_HASH, blockHash: ZERO_HASH, blockNumber: 1, succeeded, ...costs }
        },
      },
      clock: world.clock,
      random: createSeededRandom(seed),
      log: createSilentLogger(),
      metrics: createMetrics(`watcher${seed}`),
    },
  )
  return Object.assign(watcher, { own })
}

async function lookFor(world: World, looks: number, ...watchers: readonly ReturnType<typeof newWatcher>[]): Promise<void> {
  for (let look = 0; look < looks; look++) {
    for (const watcher of watchers) await watcher.step()
    await world.clock.advance(10_000)
  }
}

function wrongAndTwice(): Offences {
  const signed = (of: number) => ({
    attestation: { epoch: 3, checkpointNumber: 29, checkpointHash: hashOf(of), l1OriginNumber: 1, l1OriginHash: hashOf(1) },
    signature: new Uint8Array(65),
  })
  return {
    ...NONE,
    doubleAttestations: [{ validator: addressOf(1), epoch: 3, first: signed(1), second: signed(2) }],
    invalidAttestations: [{ validator: addressOf(2), actualHash: hashOf(4), ...signed(3) }],
  }
}

const isBlock = (label: string) => label.startsWith('double-block')

describe('an offence watcher with many pairs of blocks of one key', () => {
  const pairs = Array.from({ length: 16 }, (_, number) => pair(1, number))

  it('pays for one pair, the second right after the first, and finds the others done', async () => {
    const world = createWorld(pairs)
    await lookFor(world, 30, newWatcher(world))
    assert.deepEqual(world.sent, [`double-block 0 ${pairs[0]?.first.blockHash}`, `double-block 0 ${pairs[0]?.second.blockHash}`])
    assert.equal(world.notes.slashed.size, 1)
  })

  it('continues with the next pair when one cannot be sent, and pays for that one only', async () => {
    const world = createWorld(pairs)
    world.refuse = (what, label) => {
      if (what === 'sent' && label.startsWith('double-block 0 '))
        throw new ClientError('client/transaction-rejected', 'critical', 'oversized data')
    }
    await lookFor(world, 30, newWatcher(world))
    assert.deepEqual(
      world.sent.map((label) => label.split(' ')[1]),
      ['1', '1'],
    )
    assert.equal(world.notes.slashed.size, 1)
  })

  it('of each of several keys pays for one pair', async () => {
    const all = [1, 2, 3].flatMap((of) => Array.from({ length: 5 }, (_, number) => pair(of, number)))
    const world = createWorld(all)
    await lookFor(world, 30, newWatcher(world))
    assert.equal(world.sent.length, 6)
    assert.equal(world.notes.slashed.size, 3)
  })

  it('two watchers pay for one pair together', async () => {
    const world = createWorld(pairs)
    await lookFor(world, 30, newWatcher(world, { seed: 3 }), newWatcher(world, { seed: 4 }))
    assert.deepEqual(world.sent.length, 2)
  })
})

describe('an offence watcher', () => {
  const settlement = `settlement 3 ${addressOf(7)}`

  it('continues with the others when one is refused for good, which it retries with a growing delay', async () => {
    const world = createWorld([pair(1, 0)])
    world.overdue = [{ validator: addressOf(7), epoch: 3 }]
    const tries: number[] = []
    const startMs = world.clock.nowMs()
    world.refuse = (what, label) => {
      if (what !== 'sent' || !isBlock(label)) return
      tries.push((world.clock.nowMs() - startMs) / 1_000)
      throw new ClientError('client/transaction-rejected', 'critical', 'oversized data')
    }
    const watcher = newWatcher(world, { maxDelayMs: 0 })
    await lookFor(world, 1, watcher)
    assert.deepEqual(world.sent, [settlement])
    assert.match(watcher.trouble()?.reason ?? '', /double-block 0 .* could not be reported: oversized data/)
    world.overdue = []
    await lookFor(world, 599, watcher)
    assert.deepEqual(world.sent, [settlement])
    const gaps = tries.slice(1).map((at, index) => Math.round((at - (tries[index] as number)) / 10) * 10)
    assert.deepEqual(gaps, [10, 20, 40, 80, 160, 320, 600, 600, 600, 600, 600, 600, 600, 600])
    world.refuse = () => undefined
    await lookFor(world, 61, watcher)
    assert.equal(world.sent.filter(isBlock).length, 2)
    assert.equal(watcher.trouble(), null)
  })

  it('continues with the others when the node does not simulate one', async () => {
    const world = createWorld([pair(1, 0)])
    world.overdue = [{ validator: addressOf(7), epoch: 3 }]
    let asked = 0
    world.refuse = (what) => {
      if (what === 'asked' && ++asked === 1) throw new ClientError('client/rpc', 'critical', 'execution reverted without a reason')
    }
    const watcher = newWatcher(world, { maxDelayMs: 0 })
    await watcher.step()
    assert.deepEqual(world.sent, [settlement])
    await lookFor(world, 2, watcher)
    assert.equal(world.sent.filter(isBlock).length, 2)
    assert.equal(watcher.trouble(), null)
  })

  it('continues when the node does not say whether a report is still on the chain', async () => {
    const world = createWorld([pair(1, 0)])
    const watcher = newWatcher(world, { maxDelayMs: 0 })
    await lookFor(world, 60, watcher)
    assert.equal(world.sent.length, 2)
    world.overdue = [{ validator: addressOf(7), epoch: 3 }]
    let asked = 0
    world.refuse = (what) => {
      if (what === 'asked' && ++asked <= 1) throw new Error('connection refused')
    }
    await lookFor(world, 1, watcher)
    assert.equal(world.sent.at(-1), settlement)
  })

  for (const what of ['offences', 'overdue', 'attested'] as const) {
    it(`does what it can and says so while it hears nothing of: ${what}`, async () => {
      const world = createWorld([pair(1, 0)])
      world.overdue = [{ validator: addressOf(7), epoch: 3 }]
      world.refuse = (now) => {
        if (now === what) throw new Error('connection refused')
      }
      const watcher = newWatcher(world, { maxDelayMs: 0 })
      await lookFor(world, 2, watcher)
      assert.equal(world.sent.filter(isBlock).length, what === 'offences' ? 0 : 2)
      assert.equal(world.sent.includes(settlement), what !== 'overdue')
      assert.match(watcher.trouble()?.reason ?? '', /connection refused/)
      world.refuse = () => undefined
      await lookFor(world, 2, watcher)
      assert.equal(world.sent.length, 3)
      assert.equal(watcher.trouble(), null)
    })
  }

  it('reports again what failed in its block though nobody else had reported it', async () => {
    const world = createWorld([])
    world.seen = wrongAndTwice()
    world.fails = 1
    const watcher = newWatcher(world, { maxDelayMs: 0 })
    assert.deepEqual(
      (await watcher.step()).map(({ outcome }) => outcome),
      ['reported'],
    )
    assert.match(watcher.trouble()?.reason ?? '', /invalid-attestation 3 .*failed in block 1, and is not on the chain/)
    await world.clock.advance(10_000)
    assert.deepEqual(
      (await watcher.step()).map(({ name, outcome }) => [name.split(' ')[0], outcome]),
      [['invalid-attestation', 'reported']],
    )
    assert.equal(watcher.trouble(), null)
  })

  it('reports what can be too late before what cannot', async () => {
    const world = createWorld([])
    world.seen = wrongAndTwice()
    await newWatcher(world, { maxDelayMs: 0 }).step()
    assert.deepEqual(world.sent, [`invalid-attestation 3 ${addressOf(2)}`, `double-attestation 3 ${addressOf(1)}`])
  })

  it('reports when the moment it drew has come, and not at its next look', async () => {
    const world = createWorld([])
    world.seen = wrongAndTwice()
    world.mined = () => world.clock.sleep(1_000)
    const watcher = newWatcher(world, { maxDelayMs: 8_000 })
    await watcher.start(new AbortController().signal)
    for (let second = 0; second < 10; second++) await world.clock.advance(1_000)
    assert.equal(world.sent.length, 2)
    await watcher.stop()
  })

  it('finds a report of another that looked at the same moment done, since they draw different moments', async () => {
    const world = createWorld([])
    world.seen = { ...wrongAndTwice(), invalidAttestations: [] }
    world.mined = () => world.clock.sleep(BLOCK_MS)
    const watchers = [4, 5, 6].map((seed) => newWatcher(world, { seed }))
    await Promise.all(watchers.map((watcher) => watcher.start(new AbortController().signal)))
    for (let second = 0; second < 30; second++) await world.clock.advance(1_000)
    assert.equal(world.sent.length, 1)
    await Promise.all(watchers.map((watcher) => watcher.stop()))
  })

  it('looks no more often than it should while a limit or a refusal keeps it from reporting', async () => {
    const world = createWorld([pair(1, 0), pair(2, 0)])
    world.mined = () => world.clock.sleep(1_000)
    let looks = 0
    world.refuse = (what, label) => {
      if (what === 'offences') looks++
      if (what === 'sent' && label === `double-block 0 ${pair(1, 0).first.blockHash}`) throw new Error('connection refused')
    }
    const watcher = newWatcher(world, { maxDelayMs: 0, perHour: 1 })
    await watcher.start(new AbortController().signal)
    for (let second = 0; second < 60; second++) await world.clock.advance(1_000)
    assert.ok(looks <= 7, `${looks} looks in a minute`)
    await watcher.stop()
  })
})
