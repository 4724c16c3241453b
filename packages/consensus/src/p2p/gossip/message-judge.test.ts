import assert from 'node:assert/strict'
import { toAddress, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMetrics } from '@keelson/runtime'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { createRecordingLogger } from '../../../../../test/support/recording-logger.ts'
import type { BlockJudgement, BlockValidator } from './block-validator.ts'
import { createMessageJudge } from './message-judge.ts'

const NOTHING = new Uint8Array(0)
const envelope = makePayload({
  number: 1,
  parentHash: ZERO_HASH,
  timestampSec: 1,
  l1Origin: { hash: ZERO_HASH, number: 1 },
  sequenceNumber: 0,
})
const ACCEPTED: BlockJudgement = {
  verdict: 'accept',
  envelope,
  signed: { envelope, signer: toAddress(`0x${'11'.repeat(20)}`), signedPart: NOTHING, signature: NOTHING },
}

const SEEN: BlockJudgement = { verdict: 'ignore', reason: 'already-seen' }

function newJudge(...judgements: readonly [BlockJudgement, ...BlockJudgement[]]) {
  const clock = createManualClock(1_800_000_000_000)
  const log = createRecordingLogger()
  const metrics = createMetrics('test')
  const judged: string[] = []
  const [first, ...later] = judgements
  let current = first
  const validator: BlockValidator = {
    judge: () => {
      const judgement = current
      current = later.shift() ?? judgement
      return judgement
    },
  }
  const judge = createMessageJudge({
    topics: new Map([['blocks', 4]]),
    validator,
    onJudgement: ({ verdict }, from) => judged.push(`${verdict} ${from}`),
    clock,
    log,
    metrics,
  })
  return { judge, judged, clock, log, text: async () => (await metrics.render()).text }
}

describe('judging what gossip brings', () => {
  it('counts every verdict by its reason, and writes a line about each reason once in a while', async () => {
    const { judge, log, clock, text } = newJudge({ verdict: 'reject', reason: 'signature-invalid' })
    for (let i = 0; i < 20; i++) assert.equal(judge('blocks', NOTHING, 'a'), 'reject')
    const warnings = () => log.lines.filter(({ level }) => level === 'warn')
    assert.equal(warnings().length, 1)
    assert.match(String(warnings()[0]?.fields.remedy), /signer/)
    await clock.advance(10_000)
    judge('blocks', NOTHING, 'a')
    assert.equal(warnings().length, 2)
    assert.equal(warnings()[1]?.fields.more, 19)
    assert.match(await text(), /gossip_blocks_total\{verdict="reject",reason="signature-invalid"\} 21/)
  })

  it('holds old blocks against a peer only while the clock is known to be right', async () => {
    const old: BlockJudgement = { verdict: 'reject', reason: 'timestamp-too-old' }
    const { judge, clock, text } = newJudge(old, ACCEPTED, old)
    assert.equal(judge('blocks', NOTHING, 'a'), 'ignore')
    assert.equal(judge('blocks', NOTHING, 'a'), 'accept')
    await clock.advance(60_000)
    assert.equal(judge('blocks', NOTHING, 'a'), 'reject')
    await clock.advance(1)
    assert.equal(judge('blocks', NOTHING, 'a'), 'ignore')
    assert.match(await text(), /gossip_blocks_total\{verdict="reject",reason="timestamp-too-old"\} 3/)
  })

  it('does not look at more than a peer may send, holds it against the peer, and hears the others', async () => {
    const { judge, judged, clock, text } = newJudge(ACCEPTED, ...Array<BlockJudgement>(61).fill(SEEN), ACCEPTED)
    assert.equal(judge('blocks', NOTHING, 'a'), 'accept')
    for (let i = 0; i < 60; i++) assert.equal(judge('blocks', NOTHING, 'a'), 'ignore')
    assert.equal(judge('blocks', NOTHING, 'a'), 'excess')
    assert.equal(judge('blocks', NOTHING, 'b'), 'ignore')
    assert.match(await text(), /gossip_blocks_total\{verdict="excess",reason="rate-limited"\} 1/)
    await clock.advance(1_000)
    assert.equal(judge('blocks', NOTHING, 'a'), 'accept')
    assert.equal(judged.length, 63)
  })

  it('takes any number of good new blocks from a peer, as from a sequencer that catches up', () => {
    const { judge } = newJudge(ACCEPTED)
    for (let i = 0; i < 200; i++) assert.equal(judge('blocks', NOTHING, 'a'), 'accept')
  })

  it('blames nobody for more than the rate while this machine’s clock may be wrong', () => {
    const { judge } = newJudge({ verdict: 'reject', reason: 'timestamp-too-old' })
    for (let i = 0; i < 60; i++) assert.equal(judge('blocks', NOTHING, 'a'), 'ignore')
    assert.equal(judge('blocks', NOTHING, 'a'), 'defer')
  })

  it('has nothing to do with other topics', () => {
    const { judge, judged } = newJudge(ACCEPTED)
    assert.equal(judge('elsewhere', NOTHING, 'a'), 'ignore')
    assert.deepEqual(judged, [])
  })
})
