import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { type Recording, RecordingReader } from '@keelson/web/recording'
import type { Fault } from '../faults/fault-kind.ts'
import { buildL2Start, type L2Start } from '../roles/rollup-network.ts'
import { type RunResult, simulate } from '../simulate.ts'
import type { Film } from './filmed-run.ts'
import { RecordingWriter } from './recording-writer.ts'
import type { Snapshot } from './snapshot.ts'

const START_MS = 1_800_000_000_000
const EVERY_MS = 2_000
const MINUTE_MS = 60_000
const crypto = createNativeCrypto()
const fault = (kind: string, victim: string, atMs: number, parameters: Fault['parameters'] = {}): Fault => ({
  atMs,
  kind,
  victim,
  durationMs: 10_000,
  parameters,
})
const SCENARIO = {
  seed: 3,
  days: 2 / 1_440,
  validators: 1,
  transactionsPerSec: 1,
  recoveryMinutes: 2,
  faults: [
    fault('kill', 'validator-1/execution', 20_500),
    fault('freeze', 'sequencer/consensus', 40_500),
    fault('power', 'batcher', 60_500),
    fault('partition', 'sequencer', 80_500, { from: ['validator-1'], oneWay: true }),
    fault('bad-links', 'network', 90_500, { lossPercent: 10, duplicationPercent: 5, jitterMs: 100 }),
    { ...fault('l1-reorg', 'l1', 100_500, { depth: 2 }), durationMs: 0 },
  ],
}

describe('a recording of a run', function () {
  this.timeout(300_000)
  let l2: L2Start
  let filmed: RunResult
  let snapshots: readonly Snapshot[]
  let recording: Recording

  const run = (film?: Film) =>
    simulate({ ...SCENARIO, crypto, l2, startMs: START_MS, logger: () => createSilentLogger(), ...(film === undefined ? {} : { film }) })

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
    const taken: Snapshot[] = []
    const writer = new RecordingWriter()
    const reader = new RecordingReader()
    reader.push(`${RecordingWriter.header(SCENARIO, EVERY_MS)}\n`)
    const show = (snapshot: Snapshot) => {
      taken.push(snapshot)
      reader.push(`${writer.line(snapshot)}\n`)
    }
    filmed = await run({ everyMs: EVERY_MS, show })
    snapshots = taken
    recording = reader.end()
  })

  const at = (ms: number) => {
    const frame = recording.frames.find(({ atMs }) => atMs === ms)
    assert.ok(frame !== undefined, `no frame at ${ms}`)
    return frame
  }
  const machine = (name: string, ms: number) => {
    const index = recording.machines.findIndex((one) => one.name === name)
    const frame = at(ms).machines[index]
    assert.ok(frame !== undefined, name)
    const { roles } = recording.machines[index] ?? { roles: [] }
    return { ...frame, states: Object.fromEntries(roles.map((role, i) => [role, frame.processes[i]])) }
  }

  it('does not change the run', async () => {
    const { traceHash, events, violations } = await run()
    assert.deepEqual([filmed.traceHash, filmed.events, filmed.violations], [traceHash, events, violations])
  })

  it('gives the frames that were taken, one for each two seconds', () => {
    assert.deepEqual(
      recording.frames,
      snapshots.map(({ frame }) => frame),
    )
    assert.deepEqual(recording.machines, snapshots.at(-1)?.machines)
    recording.frames.slice(0, -1).forEach(({ atMs }, i) => {
      assert.equal(atMs, i * EVERY_MS)
    })
  })

  it('shows what faults do, and when they end', () => {
    assert.equal(machine('validator-1', 20_000).states.execution, 'running')
    assert.equal(machine('validator-1', 22_000).states.execution, 'dead')
    assert.equal(machine('validator-1', 22_000).states.consensus, 'running')
    assert.equal(machine('validator-1', 32_000).states.execution, 'running')
    assert.equal(machine('sequencer', 42_000).states.consensus, 'frozen')
    assert.equal(machine('sequencer', 52_000).states.consensus, 'running')
    assert.deepEqual(
      [machine('batcher', 60_000).power, machine('batcher', 62_000).power, machine('batcher', 72_000).power],
      [true, false, true],
    )
    const names = (ms: number) => at(ms).cuts.map((cut) => cut.map((i) => recording.machines[i]?.name))
    assert.deepEqual(names(82_000), [['sequencer', 'validator-1']])
    assert.deepEqual(names(92_000), [])
    assert.deepEqual(at(92_000).badLinks, { lossPercent: 10, duplicationPercent: 5, jitterMs: 100 })
    assert.equal(at(102_000).badLinks, null)
    assert.deepEqual([at(100_000).l1.branch, at(102_000).l1.branch], [0, 1])
    assert.deepEqual(
      recording.faults.map(({ kind, victim, atMs }) => ({ kind, victim, atMs })),
      SCENARIO.faults.map(({ kind, victim, atMs }) => ({ kind, victim, atMs })),
    )
  })

  it('shows a chain that grows on all nodes, and what reached L1', () => {
    const { machines, counters } = at(3 * MINUTE_MS)
    const heads = machines.flatMap((one) => (one.heads === null ? [] : [one.heads]))
    assert.equal(heads.length, 2)
    for (const { unsafe, safe } of heads) assert.ok(unsafe.number > 60 && safe.number > 0, `${unsafe.number}, ${safe.number}`)
    assert.ok(counters.batches > 0 && counters.transactions > 100)
    assert.deepEqual(recording.frames.at(-1)?.counters.transactions, filmed.transactions)
  })

  it('has a megabyte for an hour at most', () => {
    const writer = new RecordingWriter()
    const bytes = snapshots.reduce((sum, snapshot) => sum + writer.line(snapshot).length + 1, 0)
    assert.ok((bytes / snapshots.length) * 1_800 < 1_000_000, `${bytes} bytes for ${snapshots.length} frames`)
  })

  it('ends with an error of its own when a snapshot cannot be shown, and blames no role', async () => {
    const show = () => {
      throw new Error('ENOSPC: no space left on device, write')
    }
    await assert.rejects(run({ everyMs: EVERY_MS, show }), { code: 'simulator/film', message: /cannot be shown: ENOSPC/ })
  })
})
