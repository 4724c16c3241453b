import assert from 'node:assert/strict'
import type { BlockSpan } from '@keelson/consensus'
import { createWorld, type Wire, type World } from '../support/world.ts'

interface Recorder {
  readonly wire: Wire
  stepsOf(number: number): readonly BlockSpan[]
}

function createRecorder(): Recorder {
  const recorded: BlockSpan[] = []
  return {
    wire: (real) => ({ ...real, spans: { record: (span) => void recorded.push(span) } }),
    stepsOf: (number) => recorded.filter(({ block }) => block.number === number),
  }
}

describe('the spans of a block', () => {
  let world: World
  const steps = (spans: readonly BlockSpan[]) => spans.map(({ step }) => step)

  afterEach(() => world.stop())

  it('cover its way from the build over gossip to its derivation, on each node', async () => {
    const ofSequencer = createRecorder()
    const ofFollower = createRecorder()
    world = await createWorld({ wire: ofSequencer.wire })
    const follower = await world.addFollower('follower', { wire: ofFollower.wire })
    await world.advance(8)
    await world.batch()
    await world.advance(12)
    assert.ok(follower.heads().safe >= 3)
    assert.deepEqual(steps(ofSequencer.stepsOf(3)), ['build', 'seal', 'commit', 'insert', 'publish', 'derive'])
    assert.deepEqual(steps(ofFollower.stepsOf(3)), ['receive', 'insert', 'derive'])
    const hash = await world.sequencer.hashAt(3)
    const spans = [...ofSequencer.stepsOf(3), ...ofFollower.stepsOf(3)]
    for (const { block, startMs, endMs } of spans) {
      assert.equal(block.hash, hash)
      assert.ok(startMs <= endMs)
    }
    assert.equal(spans.at(-1)?.facts?.outcome, 'consolidated')
    assert.ok((ofSequencer.stepsOf(3)[0]?.startMs ?? 0) < world.clock.nowMs())
  })

  it('show an insertion and a derivation on a node without gossip', async () => {
    const recorder = createRecorder()
    world = await createWorld()
    await world.addFollower('verifier', { gossip: false, wire: recorder.wire })
    await world.advance(8)
    await world.batch()
    await world.advance(12)
    assert.deepEqual(steps(recorder.stepsOf(3)), ['insert', 'derive'])
    assert.equal(recorder.stepsOf(3)[1]?.facts?.outcome, 'built')
  })
})
