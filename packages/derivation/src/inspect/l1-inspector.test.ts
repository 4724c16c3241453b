import assert from 'node:assert/strict'
import type { Hash } from '@keelson/primitives'
import { batchesOf } from '../../../../test/support/batch-submitter.ts'
import {
  createDerivationWorld,
  type DerivationWorld,
  type DerivationWorldOptions,
  forksUpTo,
} from '../../../../test/support/derivation-world.ts'
import { compress, decompress } from '../../../node/src/crypto/compression.ts'
import { createNativeCrypto } from '../../../node/src/crypto/native-crypto.ts'
import type { WireBatch } from '../codec/batch/batch.ts'
import { encodeBlob } from '../codec/blob.ts'
import { encodeChannel, splitIntoFrames } from '../codec/channel/channel-out.ts'
import { encodeBatcherTransaction, encodeFrame, type Frame } from '../codec/channel/frame.ts'
import { checkOf, createSpanBatch, type SpanBatchInput } from '../codec/span-batch/span-batch.ts'
import { DerivationError } from '../errors.ts'
import type { BatchJudged, InspectionEvent } from './inspection-event.ts'
import { createInspectionCount } from './inspection-summary.ts'
import { L1Inspector } from './l1-inspector.ts'

const crypto = createNativeCrypto()
const STRANGER = new Uint8Array(32).fill(9)
const CALLDATA = { batches: 'singular', compression: 'zlib', carrier: 'calldata' } as const
const id = (letter: string) => `0x${letter.repeat(32)}` as Frame['channelId']

async function inspect(world: DerivationWorld, from = 0, blobs = world.l1.blobReader): Promise<InspectionEvent[]> {
  const start = world.l1.block(from)
  assert.ok(start !== null)
  const inspector = new L1Inspector(
    world.config,
    { l1Origin: start.ref, systemConfig: world.config.genesis.systemConfig },
    { l1: world.l1.reader, blobs, decompressor: { decompress }, crypto },
  )
  const events: InspectionEvent[] = []
  for (;;) {
    const more = await inspector.next()
    if (more === null) return [...events, ...inspector.finish()]
    events.push(...more)
  }
}

const ofKind = <K extends InspectionEvent['kind']>(events: readonly InspectionEvent[], kind: K) =>
  events.filter((event): event is Extract<InspectionEvent, { kind: K }> => event.kind === kind)
const verdicts = (events: readonly InspectionEvent[]) =>
  ofKind(events, 'verdict').map(({ batch, verdict, reason }: BatchJudged) => `${batch} ${verdict}${reason === null ? '' : ` ${reason}`}`)
const reasons = (events: readonly InspectionEvent[]) => {
  const count = createInspectionCount()
  for (const event of events) count.add(event)
  return count.summary().drops
}

async function worldWith(blocks: number, options: DerivationWorldOptions = {}, transactions = 1) {
  const world = createDerivationWorld(options)
  world.l1.mine(Math.ceil(blocks / 2) + 1)
  return { world, payloads: await world.sequence(blocks, transactions) }
}

const channelOf = (letter: string, ...batches: WireBatch[]) =>
  splitIntoFrames(id(letter), encodeChannel(batches, 'zlib', { compress }), 100_000)

describe('the L1 inspector', () => {
  for (const last of ['bedrock', 'delta', 'jovian'] as const) {
    for (const batches of ['singular', 'span'] as const) {
      if (last === 'bedrock' && batches === 'span') continue
      it(`${last}: tells of ${batches} batches what the pipeline makes of them`, async () => {
        const { world, payloads } = await worldWith(10, { forks: last === 'bedrock' ? {} : forksUpTo(last) }, 2)
        world.submitter.submit(payloads.slice(0, 6), { ...CALLDATA, batches, maxFrameBytes: 300 })
        world.l1.mine()
        world.submitter.submit(payloads.slice(6), { ...CALLDATA, batches })
        world.l1.mine()
        const events = await inspect(world)
        const derived = (await world.derive()).length
        assert.equal(world.drops.length, 0)
        assert.deepEqual(reasons(events), {})
        const channels = ofKind(events, 'channel')
        assert.deepEqual(
          channels.map(({ state, compression }) => [state, compression]),
          [
            ['complete', 'zlib'],
            ['complete', 'zlib'],
          ],
        )
        assert.ok((channels[0]?.frames ?? 0) > 3)
        assert.equal(channels[0]?.frames, ofKind(events, 'frame').filter(({ channel }) => channel === channels[0]?.channel).length)
        const seen = ofKind(events, 'batch')
        assert.equal(
          seen.reduce((sum, batch) => sum + batch.l2Blocks, 0),
          10,
        )
        assert.equal(
          seen.reduce((sum, batch) => sum + batch.transactions, 0),
          payloads.flatMap((p) => p.transactions.filter((tx) => tx[0] !== 0x7e)).length,
        )
        assert.equal(seen[0]?.fromL2Block, payloads[0]?.blockNumber)
        const judged = ofKind(events, 'verdict')
        assert.ok(judged.every(({ verdict, unchecked }) => verdict === 'accept' && unchecked.join() === 'parent-hash'))
        assert.equal(
          judged.reduce((sum, { acceptedBlocks }) => sum + acceptedBlocks, 0),
          derived,
        )
      })
    }
  }

  it('reads blobs, and reports the transaction whose blobs are unavailable', async () => {
    const { world, payloads } = await worldWith(4)
    world.submitter.submit(payloads, { ...CALLDATA, carrier: 'blobs', compression: 'brotli' })
    world.l1.mine()
    const events = await inspect(world)
    assert.deepEqual(
      ofKind(events, 'transaction').map(({ carrier, blobs, frames, unreadable }) => ({ carrier, blobs, frames, unreadable })),
      [{ carrier: 'blobs', blobs: 1, frames: 1, unreadable: null }],
    )
    assert.equal(ofKind(events, 'channel')[0]?.compression, 'brotli')
    assert.deepEqual(verdicts(events), ['0 accept', '1 accept', '2 accept', '3 accept'])

    const blind = await inspect(world, 0, {
      blobs: async () => {
        throw new DerivationError('derivation/l2-unavailable', 'temporary', 'pruned')
      },
    })
    assert.deepEqual(
      ofKind(blind, 'transaction').map(({ frames, unreadable }) => ({ frames, unreadable })),
      [{ frames: 0, unreadable: 'pruned' }],
    )
  })

  it('names the reason in the event of every dropped item', async () => {
    const { world, payloads } = await worldWith(2)
    const inbox = world.config.batchInbox
    world.l1.send({ privateKey: STRANGER, to: inbox, data: Uint8Array.of(0) })
    world.submitter.sendRaw(Uint8Array.of(7, 1, 2, 3))
    world.submitter.sendRaw(new Uint8Array(0))
    world.submitter.sendRaw(encodeBatcherTransaction([{ channelId: id('a'), number: 3, data: Uint8Array.of(1), isLast: false }]))
    const [open] = channelOf('b')
    world.submitter.sendRaw(encodeBatcherTransaction([{ ...(open as Frame), isLast: false }]))
    world.l1.mine()
    world.submitter.sendRaw(encodeBatcherTransaction([{ channelId: id('c'), number: 0, data: Uint8Array.of(3, 3), isLast: true }]))
    world.submitter.sendRaw(
      encodeBatcherTransaction([{ channelId: id('d'), number: 0, data: Uint8Array.of(0x78, 0x9c, 0xff, 0xff), isLast: true }]),
    )
    world.submitter.submit(payloads, CALLDATA)
    world.submitter.sendRaw(encodeFrame({ channelId: id('e'), number: 0, data: Uint8Array.of(1), isLast: false }))
    world.l1.mine()
    const events = await inspect(world)
    assert.deepEqual(
      ofKind(events, 'transaction').map(({ dropped, fromBatcher }) => (fromBatcher ? dropped : `stranger ${dropped}`)),
      ['stranger batcher-tx-wrong-sender', 'frame-malformed', 'frame-malformed', null, null, null, null, null, 'frame-malformed'],
    )
    assert.deepEqual(
      ofKind(events, 'frame')
        .map(({ channel, number, dropped }) => `${channel[2]}${number} ${dropped}`)
        .slice(0, 4),
      ['a3 frame-without-channel', 'b0 null', 'c0 null', 'd0 null'],
    )
    assert.deepEqual(
      ofKind(events, 'channel')
        .map(({ channel, state, reason }) => [channel[2], state, reason])
        .slice(0, 3),
      [
        ['b', 'dropped', 'channel-replaced'],
        ['c', 'complete', 'channel-version-unknown'],
        ['d', 'complete', 'channel-corrupt'],
      ],
    )
    await world.derive()
    const expected: Record<string, number> = {}
    for (const { reason } of world.drops) expected[reason] = (expected[reason] ?? 0) + 1
    assert.deepEqual({ ...reasons(events) }, expected)
  })

  it('judges batches by L1: epochs, windows, transactions, and the rest of the channel after a bad one', async () => {
    const { world, payloads } = await worldWith(6, { sequencingWindowL1Blocks: 20 })
    const wire = payloads.map((payload): WireBatch => {
      const at = world.l1.block((payload.timestampSec - world.config.genesis.l2TimestampSec) >> 2)
      assert.ok(at !== null)
      return {
        kind: 'singular',
        batch: {
          parentHash: payload.parentHash,
          epoch: { hash: at.ref.hash, number: at.ref.number },
          timestampSec: payload.timestampSec,
          transactions: [],
        },
      }
    })
    const changed = (i: number, change: object): WireBatch =>
      ({ kind: 'singular', batch: { ...(wire[i] as { batch: object }).batch, ...change } }) as WireBatch
    const send = (letter: string, ...batches: WireBatch[]) => {
      for (const frame of channelOf(letter, ...batches)) world.submitter.sendRaw(encodeBatcherTransaction([frame]))
      world.l1.mine()
    }
    const first = wire[0] as WireBatch
    send('1', first, changed(1, { epoch: { number: 0, hash: payloads[0]?.blockHash } }), wire[1] as WireBatch)
    send('2', first, changed(3, {}))
    send('3', changed(1, { transactions: [Uint8Array.of(0x7e, 1)] }))
    send('4', changed(1, { epoch: { number: 1_000_000, hash: payloads[0]?.blockHash } }))
    send('5', wire[1] as WireBatch)
    const events = await inspect(world)
    assert.deepEqual(verdicts(events), [
      '0 accept',
      '1 drop batch-wrong-epoch-hash',
      '2 drop channel-flushed',
      '3 past',
      '4 drop batch-in-future',
      '5 drop batch-deposit-transaction',
      '6 drop batch-origin-unknown',
      '7 accept',
    ])
  })

  it('reports dropped span blocks, ignored calldata and lost blobs as often as the pipeline', async () => {
    const { world, payloads } = await worldWith(6)
    const { privateKey, to } = { privateKey: world.batcherKey, to: world.config.batchInbox }
    const bad = encodeBlob(Uint8Array.of(0))
    bad[1] = 1
    world.l1.send({ privateKey, to, blobs: [bad, bad, encodeBlob(Uint8Array.of(7))], data: Uint8Array.of(1, 2) })
    const inputs = batchesOf(payloads, world.config, 'singular').map((wire) => wire.batch as SpanBatchInput)
    const [first, , third] = inputs as [SpanBatchInput, SpanBatchInput, SpanBatchInput]
    const chain = { genesisTimestampSec: world.config.genesis.l2TimestampSec, blockTimeSec: 2, chainId: world.config.l2ChainId }
    const raw = createSpanBatch(inputs.slice(0, 5), chain)
    const late = {
      ...raw,
      originBits: Uint8Array.of(0, 1, 1, 0, 0),
      l1OriginNumber: 2n,
      l1OriginCheck: checkOf(world.l1.block(2)?.ref.hash as Hash),
    }
    assert.ok(third.epoch.number < 2)
    const frames = channelOf('a', { kind: 'span', batch: late }, { kind: 'singular', batch: first })
    for (const frame of frames) world.submitter.sendRaw(encodeBatcherTransaction([frame]))
    world.l1.mine()
    await world.derive()
    const expected: Record<string, number> = {}
    for (const { reason } of world.drops) expected[reason] = (expected[reason] ?? 0) + 1
    assert.deepEqual(
      { ...reasons(await inspect(world)) },
      {
        'blob-malformed': 2,
        'blob-tx-calldata': 1,
        'frame-malformed': 1,
        'batch-before-its-origin': 1,
        'span-batch-given-up': 1,
        'channel-flushed': 1,
      },
    )
    assert.deepEqual(expected, { ...reasons(await inspect(world)) })
  })

  it('trusts the first batch when it starts mid-chain, and reports that', async () => {
    const { world, payloads } = await worldWith(8)
    world.submitter.submit(payloads.slice(0, 4), { ...CALLDATA, maxFrameBytes: 150 })
    world.l1.mine()
    const from = (await world.l1.reader.blockRef('latest'))?.number ?? 0
    world.submitter.submit(payloads.slice(4), { ...CALLDATA, batches: 'span' })
    world.l1.mine()
    const events = await inspect(world, from + 1)
    assert.deepEqual(
      ofKind(events, 'verdict').map(({ verdict, acceptedBlocks, unchecked }) => [verdict, acceptedBlocks, unchecked.join()]),
      [['accept', 4, 'parent-hash,parent-epoch']],
    )
  })

  for (const last of ['granite', 'jovian'] as const) {
    it(`${last}: counts only the new blocks of a span that overlaps`, async () => {
      const { world, payloads } = await worldWith(8, { forks: forksUpTo(last) })
      world.submitter.submit(payloads.slice(0, 5), { ...CALLDATA, batches: 'span' })
      world.l1.mine()
      world.submitter.submit(payloads.slice(2), { ...CALLDATA, batches: 'span' })
      world.l1.mine()
      assert.deepEqual(
        ofKind(await inspect(world), 'verdict').map(({ verdict, acceptedBlocks, unchecked }) => [
          verdict,
          acceptedBlocks,
          unchecked.includes('overlap'),
        ]),
        [
          ['accept', 5, false],
          ['accept', 3, true],
        ],
      )
    })
  }

  it('keeps early batches before Holocene and reports the new verdict', async () => {
    const { world, payloads } = await worldWith(4, { forks: forksUpTo('granite') })
    world.submitter.submit(payloads.slice(2), CALLDATA)
    world.submitter.submit(payloads.slice(0, 2), CALLDATA)
    world.l1.mine()
    const events = await inspect(world)
    assert.deepEqual(verdicts(events), ['0 future', '1 future', '2 accept', '3 accept', '0 accept', '1 accept'])
  })

  it('reports channels that are open at the end or have timed out', async () => {
    const { world, payloads } = await worldWith(4)
    const frames = splitIntoFrames(id('f'), new Uint8Array(50).fill(0x78), 40)
    world.submitter.sendRaw(encodeBatcherTransaction([frames[0] as Frame]))
    world.l1.mine(world.config.channelTimeoutL1Blocks + 3)
    world.submitter.submit(payloads, { ...CALLDATA, maxFrameBytes: 120 })
    world.l1.mine()
    world.submitter.sendRaw(encodeBatcherTransaction([{ ...(frames[0] as Frame), channelId: id('9') }]))
    world.l1.mine()
    const channels = ofKind(await inspect(world), 'channel').map(({ channel, state, reason }) => [channel.slice(0, 4), state, reason])
    assert.deepEqual(channels[0], ['0xff', 'dropped', 'channel-timed-out'])
    assert.deepEqual(channels[channels.length - 1], ['0x99', 'open', null])
  })

  it('distinguishes a dropped frame from the next one, which differs only in is_last', async () => {
    const { world } = await worldWith(1)
    const frameOf = (letter: string, isLast: boolean): Frame => ({
      channelId: id(letter),
      number: 0,
      data: Uint8Array.of(120, 156, 1),
      isLast,
    })
    world.submitter.sendRaw(encodeBatcherTransaction([frameOf('2', false), frameOf('1', false), frameOf('2', true)]))
    world.l1.mine()
    world.submitter.sendRaw(encodeBatcherTransaction([frameOf('1', false)]))
    world.l1.mine()
    const events = await inspect(world)
    assert.deepEqual(
      ofKind(events, 'frame').map(({ dropped }) => dropped),
      ['frame-channel-unclosed', 'frame-channel-unclosed', null, null],
    )
    assert.equal(reasons(events)['channel-replaced'], undefined)
  })
})
