import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import {
  clockText,
  faultsAt,
  frameIndexAt,
  groupOf,
  scaleOf,
  stateOf,
  stateWords,
  timelineSpans,
} from '../client/pages/simulation/playback.ts'
import { readFile } from '../client/pages/simulation/read-file.ts'
import { RECORDING_LIMITS } from '../shared/recording/index.ts'

const times = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 50 }).map((all) => all.sort((a, b) => a - b).map((atMs) => ({ atMs })))
const marks = fc.array(fc.record({ atMs: fc.nat(10_000), durationMs: fc.nat(3_000) }), { maxLength: 50 })

describe('the frame of a time', () => {
  it('is the last that is not later, and the first before all', () => {
    fc.assert(
      fc.property(times, fc.nat(1_100), (frames, atMs) => {
        assert.equal(
          frameIndexAt(frames, atMs),
          Math.max(
            0,
            frames.findLastIndex((frame) => frame.atMs <= atMs),
          ),
        )
      }),
    )
  })
})

describe('the timeline of faults', () => {
  it('covers each fault, in order, without overlaps, in as many spans as columns at most', () => {
    fc.assert(
      fc.property(marks, (all) => {
        const spans = timelineSpans(all, 13_000, 20)
        assert.ok(spans.length <= 20)
        spans.forEach(({ from, to }, i) => {
          assert.ok(from >= (spans[i - 1]?.to ?? 0) && to > from && to <= 1)
        })
        for (const { atMs, durationMs } of all) {
          assert.ok(spans.some(({ from, to }) => from * 13_000 <= atMs && atMs + durationMs <= to * 13_000 + 1))
        }
      }),
    )
  })

  it('groups faults by what they disturb', () => {
    const group = (kind: string, victim: string) => groupOf({ kind, victim })
    assert.equal(group('partition', 'sequencer'), 'links')
    assert.equal(group('bad-links', 'network'), 'links')
    assert.equal(group('l1-reorg', 'l1'), 'L1')
    assert.equal(group('kill', 'validator-1/execution'), 'machines')
  })
})

describe('a moment', () => {
  const fault = (atMs: number, durationMs: number) => ({ atMs, durationMs, kind: 'kill', victim: 'l1', text: '' })

  it('has the faults that have begun and not ended, and momentary ones for one frame', () => {
    const [lasting, momentary] = [fault(1_000, 3_000), fault(3_500, 0)]
    const at = (ms: number) => faultsAt([lasting, momentary], ms, 2_000)
    assert.deepEqual([at(0), at(2_000), at(4_000), at(6_000)], [[], [lasting], [momentary], []])
  })

  it('has the worst state of the processes of a machine', () => {
    const machine = { name: 'sequencer', roles: ['execution', 'consensus'] }
    const frame = (processes: readonly ('running' | 'frozen' | 'dead')[], power = true) => ({ power, processes, heads: null })
    assert.equal(stateWords(machine, frame(['running', 'running'])), 'running')
    assert.equal(stateWords(machine, frame(['running', 'frozen'])), 'consensus frozen')
    assert.equal(stateWords(machine, frame(['dead', 'frozen'])), 'execution dead')
    assert.equal(stateWords(machine, frame(['dead', 'dead'])), 'dead')
    assert.equal(stateWords(machine, frame(['dead', 'dead'], false)), 'no power')
    assert.equal(stateOf(undefined).state, 'absent')
  })

  it('has a scale that holds all numbers and has round ends', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000)), (numbers) => {
        const { from, to } = scaleOf(numbers, 100)
        assert.ok(to > from && from % 100 === 0 && to % 100 === 0)
        for (const number of numbers) assert.ok(from <= number && number <= to)
      }),
    )
  })

  it('is written in hours, minutes and seconds', () => {
    assert.deepEqual([0, 61_900, 90_061_000].map(clockText), ['00:00:00', '00:01:01', '25:01:01'])
  })
})

describe('a file that is opened', () => {
  it('is not read at all when it is too large', async () => {
    const stream = () => assert.fail('it was read')
    await assert.rejects(readFile({ size: RECORDING_LIMITS.bytes + 1, stream }), /has 129 MB; a recording has at most 128 MB/)
  })

  it('may have characters that two chunks share', async () => {
    const header = { format: 'keelson-simulation', version: 1, seed: 7, about: 'größer', days: 1, transactionsPerSec: 1, everyMs: 2_000 }
    const bytes = new TextEncoder().encode(`${JSON.stringify(header)}\n{"t":0,"l1":[0,"0123abcd",0,0,0],"counters":[0,0,0]}\n`)
    const stream = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        },
      })
    const { header: read, frames } = await readFile({ size: bytes.length, stream })
    assert.deepEqual([read.about, frames.length], ['größer', 1])
  })
})
