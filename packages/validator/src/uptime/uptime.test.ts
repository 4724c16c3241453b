import assert from 'node:assert/strict'
import { attestationUptime, isBelowTarget, percentText, uptimeText, VALIDATOR_UPTIME_TARGET } from '@keelson/contracts'
import { createManualClock, createMetrics, createSilentLogger } from '@keelson/runtime'
import { addressOf } from '../attestation.test-support.ts'
import { TERMS } from '../duty/duty-world.test-support.ts'
import type { KeyPosition, StakingChain, StakingEvents } from '../staking/staking-chain.ts'
import { readUptimes } from './uptime-reader.ts'
import { createUptimeTracker } from './uptime-tracker.ts'

const [A, B] = [addressOf(0), addressOf(1)]
const BLOCK_SEC = 2
const DAY_EPOCHS = 86_400 / BLOCK_SEC / TERMS.epochBlocks
const slotOf = (epoch: number) => epoch * TERMS.epochBlocks
const endOf = (epoch: number) => slotOf(epoch + 1) - 1

function chainOf(options: { activeFrom?: number; firstAttested?: number; missed?: readonly number[] } = {}) {
  const { activeFrom = 2, firstAttested = activeFrom, missed = [] } = options
  const weights: StakingEvents['weights'][number][] = [
    { validator: A, epoch: activeFrom, weightWei: 5n, blockNumber: slotOf(activeFrom) - 1 },
  ]
  const state = { final: 0, asked: [] as (readonly [from: number, to: number])[] }
  const within = <E extends { readonly blockNumber: number }>(events: readonly E[], from: number, to: number) =>
    events.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
  const attestations = (to: number) =>
    Array.from({ length: Math.floor(to / TERMS.epochBlocks) + 1 }, (_, epoch) => epoch)
      .filter((epoch) => epoch >= firstAttested && !missed.includes(epoch))
      .map((epoch) => ({ validator: A, epoch, blockNumber: slotOf(epoch) + 1 }) as StakingEvents['attested'][number])
  const chain = {
    finalizedNumber: async () => state.final,
    terms: async () => TERMS,
    async events(_keys, from, to) {
      state.asked.push([from, to])
      return { attested: within(attestations(to), from, to), slashed: [], weights: within(weights, from, to) }
    },
    async positions(keys, _block, epoch) {
      const weightOf = (key: string) => (key === A && epoch >= activeFrom ? 5n : 0n)
      return { keys: keys.map((key) => ({ key, weightWei: weightOf(key) }) as KeyPosition) } as never
    },
    firstAttestedEpoch: async (from, to) => within(attestations(to), from, to)[0]?.epoch ?? null,
  } satisfies Partial<StakingChain>
  const track = () => {
    const metrics = createMetrics('validator')
    const lines: string[] = []
    const log = { ...createSilentLogger(), warn: (message: string) => void lines.push(message) }
    const tracker = createUptimeTracker({ keys: [A], blockTimeSec: BLOCK_SEC }, { chain, clock: createManualClock(0), log, metrics })
    const value = async (name: string, window: string) => {
      const { text } = await metrics.render()
      return Number(new RegExp(`validator_${name}\\{key="${A}",window="${window}"\\} (\\S+)`).exec(text)?.[1])
    }
    return { tracker, value, lines }
  }
  return { chain, state, track }
}

describe('the uptime of a validator', () => {
  const attest = (...epochs: readonly number[]) => epochs.map((epoch) => ({ validator: A, epoch }))

  it('is the share of the epochs it was active in that it attested to, each counted once', () => {
    const weights = [
      { validator: A, epoch: 12, weightWei: 0n },
      { validator: A, epoch: 15, weightWei: 7n },
      { validator: A, epoch: 15, weightWei: 8n },
      { validator: B, epoch: 11, weightWei: 0n },
    ]
    const events = { weights, attested: [...attest(10, 10, 15, 16, 17, 19), { validator: B, epoch: 11 }] }
    const uptime = attestationUptime({ key: A, events, firstWeightWei: 5n, fromEpoch: 10, untilEpoch: 19 })
    assert.deepEqual(uptime, { dueEpochs: 6, attestedEpochs: 4, share: 4 / 6 })
    const idle = attestationUptime({ key: A, events: { weights: [], attested: [] }, firstWeightWei: 0n, fromEpoch: 10, untilEpoch: 19 })
    assert.deepEqual(idle, { dueEpochs: 0, attestedEpochs: 0, share: null })
  })

  it('is below the target with one epoch less than 99%, and never rounded up to it', () => {
    const of = (attestedEpochs: number) => ({ dueEpochs: 1_000, attestedEpochs, share: attestedEpochs / 1_000 })
    assert.deepEqual(
      [990, 989].map((count) => isBelowTarget(of(count), VALIDATOR_UPTIME_TARGET)),
      [false, true],
    )
    assert.equal(isBelowTarget({ dueEpochs: 0, attestedEpochs: 0, share: null }, VALIDATOR_UPTIME_TARGET), false)
    assert.equal(uptimeText(of(999)), '99.90% (999 of 1000 epochs)')
    assert.equal(percentText(0.999_999), '99.99%')
    assert.equal(percentText(0.29), '29.00%')
  })

  it('begins with the first attestation on the chain, over a day, a week and since the start', async () => {
    const { chain } = chainOf({ activeFrom: 2, firstAttested: 10, missed: [12] })
    const head = endOf(109)
    const events = await chain.events([A, B], 0, head)
    const question = { keys: [A, B], terms: TERMS, blockTimeSec: BLOCK_SEC, head, events, sinceStart: true }
    const uptimes = await readUptimes(chain, { ...question, firstEpoch: await chain.firstAttestedEpoch(0, head) })
    const counts = uptimes.get(A)?.map(({ window, attestedEpochs, dueEpochs }) => [window, attestedEpochs, dueEpochs])
    assert.deepEqual(counts, [
      ['24h', 99, 100],
      ['7d', 99, 100],
      ['start', 99, 100],
    ])
    assert.deepEqual(
      uptimes.get(B)?.map(({ share }) => share),
      [null, null, null],
    )
    const none = await readUptimes(chain, { ...question, events: { attested: [], weights: events.weights }, firstEpoch: null })
    assert.deepEqual(
      none.get(A)?.map(({ dueEpochs }) => dueEpochs),
      [0, 0, 0],
      'nothing on the chain is attested to yet',
    )
  })

  it('survives a restart: a new process reads the same figures from the chain', async () => {
    const missed = Array.from({ length: 40 }, (_, index) => 100 + index)
    const { state, track } = chainOf({ missed })
    const before = track()
    for (const epoch of [50, 90, 120, 600]) {
      state.final = endOf(epoch)
      await before.tracker.look()
    }
    const after = track()
    await after.tracker.look()
    for (const { value } of [before, after]) {
      assert.equal(await value('uptime_due_epochs', '24h'), 599)
      assert.equal(await value('uptime_ratio', '24h'), 559 / 599)
    }
    assert.equal(before.tracker.summary(), after.tracker.summary())
    assert.match(after.tracker.summary(), /^uptime 93\.32% in 24h \(below target\), 93\.32% in 7d \(below target\), target 99\.00%$/)
  })

  it('forgets what is older than its windows, and reads each block once', async () => {
    const { state, track } = chainOf({ missed: [5] })
    const { tracker, value } = track()
    state.final = endOf(DAY_EPOCHS)
    await tracker.look()
    assert.equal(await value('uptime_ratio', '24h'), (DAY_EPOCHS - 2) / (DAY_EPOCHS - 1))
    state.final = endOf(DAY_EPOCHS + 10)
    await tracker.look()
    assert.equal(await value('uptime_ratio', '24h'), 1)
    const blocks = state.asked.reduce((sum, [from, to]) => sum + to - from + 1, 0)
    assert.equal(blocks, state.final + 1)
  })

  it('is logged once when it falls below the target', async () => {
    const { state, track } = chainOf({ missed: [20, 21] })
    const { tracker, lines } = track()
    for (const epoch of [19, 22, 30, 40]) {
      state.final = endOf(epoch)
      await tracker.look()
    }
    assert.deepEqual(lines, ['the uptime of a key is below the target'])
  })
})
