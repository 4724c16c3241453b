import assert from 'node:assert/strict'
import type { Frame, Heads } from '@keelson/web/recording'
import type { Snapshot } from './snapshot.ts'
import { drawPicture } from './terminal-picture.ts'

const HASH = '0123abcd'
const heads = (unsafe: number, safe: number, finalized: number): Heads => ({
  unsafe: { number: unsafe, hash: HASH },
  safe: { number: safe, hash: HASH },
  finalized: { number: finalized, hash: HASH },
})
const FRAME: Frame = {
  atMs: 65_000,
  machines: [
    { power: true, processes: ['running', 'running'], heads: heads(32, 20, 10) },
    { power: true, processes: ['dead', 'running'], heads: heads(30, 20, 10) },
    { power: false, processes: ['dead'], heads: null },
  ],
  differing: [1],
  l1: { number: 5, hash: HASH, finalized: 0, branch: 1, stalled: true },
  cuts: [
    [0, 1],
    [1, 0],
    [2, 0],
  ],
  badLinks: null,
  counters: { transactions: 60, batches: 2, proposals: 0 },
}
const SNAPSHOT: Snapshot = {
  machines: [
    { name: 'sequencer', roles: ['execution', 'consensus'] },
    { name: 'validator-1', roles: ['execution', 'consensus'] },
    { name: 'batcher', roles: ['batcher'] },
  ],
  frame: FRAME,
  faults: [
    { atMs: 60_000, durationMs: 10_000, kind: 'kill', victim: 'validator-1/execution', text: 'validator-1/execution is killed' },
    { atMs: 30_000, durationMs: 1_000, kind: 'freeze', victim: 'sequencer', text: 'sequencer stands still' },
  ],
  violations: [{ atMs: 64_000, rule: 'safe blocks stay', text: 'block 20\nwas replaced' }],
}

const draw = (columns: number, rows: number) => {
  const coloured = drawPicture(SNAPSHOT, { columns, rows, title: 'seed 7', speed: 80 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: codes of colours begin with one
  return { coloured, plain: coloured.map((line) => line.replace(/\u001b\[\d+m/g, '')) }
}

describe('the picture on a terminal', () => {
  const { plain } = draw(160, 50)
  const line = (start: string) => plain.find((one) => one.startsWith(start)) ?? ''

  it('has the state and the heads of each machine', () => {
    assert.match(line('sequencer'), /running +32 0123abcd +20 0123abcd +10 0123abcd/)
    assert.match(line('validator-1'), /DIFFERS +30 /)
    assert.match(line('machine'), /unsafe +safe +finalized/)
    assert.match(line('batcher'), /no power/)
  })

  it('draws bars on one scale, with the unsafe head of a node that is behind further left', () => {
    const end = (text: string) => Math.max(...['█', '▓', '░'].map((sign) => text.lastIndexOf(sign)))
    assert.ok(end(line('validator-1')) < end(line('sequencer')))
    assert.equal(line('validator-1').lastIndexOf('▓'), line('sequencer').lastIndexOf('▓'))
  })

  it('names cut links, faults that last, and violations', () => {
    assert.match(line('links'), /sequencer x validator-1, batcher x> sequencer$/)
    assert.match(line('now'), /kill: validator-1\/execution is killed, for 5 s more/)
    assert.equal(plain.filter((one) => /stands still, for/.test(one)).length, 0)
    assert.match(line('VIOLATION'), /00:01:04 safe blocks stay: block 20 was replaced/)
    assert.match(line('L1'), /branch 1, stalled/)
  })

  it('has violations, differing chains and all heads on a terminal of 80 by 24', () => {
    const small = draw(80, 24).plain
    assert.ok(small.some((one) => one.startsWith('VIOLATION 00:01:04 safe blocks stay')))
    assert.ok(small.some((one) => /^validator-1 +DIFFERS +30 +20 +10 .*░/.test(one)))
  })

  it('fits into any terminal', () => {
    for (const [columns, rows] of [
      [160, 50],
      [80, 24],
      [40, 10],
      [1, 2],
    ] as const) {
      const small = draw(columns, rows).plain
      assert.ok(small.length < rows, `${small.length} of ${rows} rows`)
      for (const one of small) assert.ok([...one].length <= columns, one)
    }
  })
})
