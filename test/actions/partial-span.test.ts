/** Valid blocks before an invalid one in a span batch are safe at once. holocene/derivation.md#span-batches */
import assert from 'node:assert/strict'
import { checkOf, encodeBatcherTransaction, encodeChannel, splitIntoFrames, type WireBatch } from '@keelson/derivation'
import type { ExecutionPayload } from '@keelson/primitives'
import { compress } from '../../packages/node/src/crypto/compression.ts'
import { batchesOf } from '../support/batch-submitter.ts'
import { createWorld } from '../support/world.ts'

const BLOCKS = 5

describe('a span batch whose last block is invalid', () => {
  it('makes the valid blocks before it safe at once, with the safe head record and finality', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(30)
    const payloads: ExecutionPayload[] = []
    for (let number = 1; number <= BLOCKS; number++) payloads.push((await world.sequencer.payloadAt(number)).payload)
    const [span] = batchesOf(payloads, world.config, 'span') as [Extract<WireBatch, { kind: 'span' }>]
    const next = await world.l1.reader.blockRef(Number(span.batch.l1OriginNumber) + 1)
    assert.ok(next !== null && next.timestampSec > (payloads[BLOCKS - 1] as ExecutionPayload).timestampSec)
    const { originBits } = span.batch
    assert.equal(originBits[BLOCKS - 1], 1, 'the last block begins an epoch')
    const moved = Uint8Array.from(originBits, (bit, at) => (at === BLOCKS - 2 ? 1 : bit))
    const batch = { ...span.batch, originBits: moved, l1OriginNumber: BigInt(next.number), l1OriginCheck: checkOf(next.hash) }
    const channel = encodeChannel([{ kind: 'span', batch }], 'zlib', { compress })
    for (const frame of splitIntoFrames(`0x${'77'.repeat(16)}`, channel, 100_000)) world.batches.sendRaw(encodeBatcherTransaction([frame]))
    await world.advance(4)
    const carriedBy = world.l1.head.number
    await world.advance(8)

    const valid = BLOCKS - 1
    assert.deepEqual(follower.heads(), { unsafe: valid, safe: valid, finalized: 0 })
    assert.equal(await follower.hashAt(valid), await world.sequencer.hashAt(valid))
    assert.equal(world.sequencer.heads().safe, valid)
    const context = { signal: new AbortController().signal, transport: 'http' } as const
    const recorded = await follower.consensus.methods.optimism_safeHeadAtL1Block?.([`0x${carriedBy.toString(16)}`], context)
    const { l1Block, safeHead } = recorded as { l1Block: { number: number }; safeHead: { number: number } }
    assert.deepEqual([l1Block.number, safeHead.number], [carriedBy, valid])

    world.l1.setFinalized(carriedBy)
    await world.advance(4)
    assert.equal(follower.heads().finalized, valid)
    await world.stop()
  })
})
