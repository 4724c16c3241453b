/** Reads L1 blocks with the stages of derivation and reports everything they see or drop, without an L2 node. */
import type { RollupConfig } from '@keelson/chainspec'
import { bytesToHex, type L1BlockRef, type SystemConfig } from '@keelson/primitives'
import type { Frame } from '../codec/channel/frame.ts'
import { DerivationError } from '../errors.ts'
import { createChannelAssembler } from '../pipeline/channel-assembler.ts'
import { createChannelBank } from '../pipeline/channel-bank.ts'
import type { DecodedBatch } from '../pipeline/channel-reader.ts'
import { createL1Traversal } from '../pipeline/l1-traversal.ts'
import { ORIGIN_EXHAUSTED, type Stage } from '../pipeline/stage.ts'
import type { BlobReader, Decompressor, L1Reader, SenderRecovery } from '../ports.ts'
import { createBatchJudge, type Verdict } from './batch-judge.ts'
import { createChannelLedger, type OpenChannel } from './channel-ledger.ts'
import { inspectChannel } from './inspect-channel.ts'
import { inspectFrames } from './inspect-frames.ts'
import { inspectTransactions } from './inspect-transactions.ts'
import { createInspectionContext, type Drop } from './inspection-context.ts'
import type { BatchSeen, InspectionEvent } from './inspection-event.ts'

export interface L1Inspector {
  /** The L1 block read last. */
  readonly l1Origin: L1BlockRef
  /** Reads the first block, then the next one per call; returns null when L1 has none yet. Throws DerivationError or a port's error. */
  next(): Promise<readonly InspectionEvent[] | null>
  /** Returns the channels that are still open. */
  finish(): readonly InspectionEvent[]
}

export interface L1InspectorDependencies {
  readonly l1: Pick<L1Reader, 'blockRef' | 'transactions' | 'receipts'>
  readonly blobs: BlobReader
  readonly decompressor: Decompressor
  readonly crypto: SenderRecovery
}

interface WaitingBatch {
  readonly batch: number
  readonly decoded: DecodedBatch
  readonly inclusion: L1BlockRef
}

/** Early batches kept before Holocene. */
const MAX_WAITING = 10_000
/** These reasons may apply to the channel of the frame just accepted. */
const DROPPED_BY_SIZE: ReadonlySet<Drop['reason']> = new Set(['channel-too-large', 'channel-pruned'])

/** `start` is read first; `systemConfig` is the one after that block. */
export function createL1Inspector(
  config: RollupConfig,
  start: { readonly l1Origin: L1BlockRef; readonly systemConfig: SystemConfig },
  deps: L1InspectorDependencies,
): L1Inspector {
  const context = createInspectionContext(config, start.l1Origin)
  let events: InspectionEvent[] = []
  const traversal = createL1Traversal(config, { ...deps.l1, header: async () => null }, { dropped: (event) => tellDrops([event]) })
  traversal.reset(start.l1Origin, start.systemConfig)
  let waitingFrame: Frame | null = null
  const frameSource: Stage<Frame> = {
    async pull() {
      if (waitingFrame === null) return ORIGIN_EXHAUSTED
      const item = waitingFrame
      waitingFrame = null
      return { kind: 'item', item }
    },
  }
  const bank = createChannelBank(context, frameSource)
  const assembler = createChannelAssembler(context, frameSource)
  const ledger = createChannelLedger()
  const judge = createBatchJudge(config, deps.l1, start.l1Origin.number <= config.genesis.l1.number)
  let waiting: WaitingBatch[] = []
  let batches = 0
  let begun = false

  const l1Block = () => context.origin.number

  function tellDrops(drops: readonly Drop[], more: Drop['details'] = {}): void {
    for (const { stage, reason, details } of drops) {
      events.push({ kind: 'drop', l1Block: l1Block(), stage, reason, details: { ...more, ...details } })
    }
  }

  function tellChannel(channel: OpenChannel, state: 'dropped' | 'open', reason: Drop['reason'] | null): void {
    const { id, openedAt, frames, bytes } = channel
    const unread = { compression: null, compressedBytes: bytes, uncompressedBytes: 0, batches: 0 }
    events.push({ kind: 'channel', l1Block: l1Block(), channel: id, state, reason, openedAt, frames, ...unread })
  }

  async function moveOn(): Promise<boolean> {
    if (!begun) {
      begun = true
      return true
    }
    const wasStrict = context.rules.strictOrdering
    if (!(await traversal.advance())) return false
    context.moveTo(traversal.origin)
    if (context.rules.strictOrdering !== wasStrict) {
      bank.discard()
      endChannels(context.takeDrops())
      for (const { batch } of waiting) tellVerdict(batch, { verdict: 'drop', reason: 'fork-activated', acceptedBlocks: 0, unchecked: [] })
      waiting = []
    }
    return true
  }

  /** Reports the dropped channels. Returns the drop of frame `fed`, or null. */
  function endChannels(drops: readonly Drop[], fed: Frame | null = null): Drop | null {
    let ofFrame: Drop | null = null
    for (const drop of drops) {
      if (fed !== null && drop.details.frame === fed.number && drop.details.channel === fed.channelId) {
        ofFrame = drop
        continue
      }
      const channel = drop.details.frame === undefined ? ledger.take(String(drop.details.channel)) : null
      if (channel !== null) tellChannel(channel, 'dropped', drop.reason)
      else tellDrops([drop])
    }
    return ofFrame
  }

  /** Passes a frame, or only the new L1 block, to the channel stage. Returns null or the reason why the frame is refused. */
  async function feed(frame: Frame | null): Promise<Drop['reason'] | null> {
    waitingFrame = frame
    const stage = context.rules.strictOrdering ? assembler : bank
    const complete: Uint8Array[] = []
    for (let pulled = await stage.pull(); pulled.kind !== 'origin-exhausted'; pulled = await stage.pull()) {
      if (pulled.kind === 'item') complete.push(pulled.item)
    }
    const drops = context.takeDrops()
    const ofFrame = endChannels(
      drops.filter(({ reason }) => !DROPPED_BY_SIZE.has(reason)),
      frame,
    )
    if (frame !== null && ofFrame === null) ledger.add(frame, l1Block())
    endChannels(drops.filter(({ reason }) => DROPPED_BY_SIZE.has(reason)))
    for (const data of complete) await readChannel(data)
    return ofFrame?.reason ?? null
  }

  async function readChannel(data: Uint8Array): Promise<void> {
    const channel = ledger.takeReady()
    if (channel === null)
      throw new DerivationError('derivation/internal', 'critical', 'the channel stage returned a channel that the ledger has as incomplete')
    const { compression, uncompressedBytes, batches: decoded, drops } = await inspectChannel(context, data, deps.decompressor)
    const { id, openedAt, frames } = channel
    events.push({
      kind: 'channel',
      l1Block: l1Block(),
      channel: id,
      state: 'complete',
      reason: drops[0]?.reason ?? null,
      openedAt,
      frames,
      compression,
      compressedBytes: data.length,
      uncompressedBytes,
      batches: decoded.length,
    })
    tellDrops(drops, { channel: id })
    let flushed = false
    for (const batch of decoded) {
      const number = batches++
      events.push(describeBatch(config, batch, { batch: number, l1Block: l1Block(), channel: id }))
      if (flushed) tellVerdict(number, { verdict: 'drop', reason: 'channel-flushed', acceptedBlocks: 0, unchecked: [] })
      else flushed = (await judgeNew(number, batch)).verdict === 'drop' && context.rules.strictOrdering
    }
  }

  async function judgeNew(batch: number, decoded: DecodedBatch): Promise<Verdict> {
    const entry = { batch, decoded, inclusion: context.origin }
    const verdict = await judge.judge(decoded, entry.inclusion)
    tellVerdict(batch, verdict)
    // From Holocene, an undecided batch is dropped.
    if (waits(verdict) && !context.rules.strictOrdering) waiting = [...waiting, entry].slice(-MAX_WAITING)
    if (verdict.verdict === 'accept') await judgeWaiting()
    return verdict
  }

  /** An accepted batch may make waiting ones applicable. */
  async function judgeWaiting(): Promise<void> {
    for (let moved = true; moved && waiting.length > 0; ) {
      moved = false
      const kept: WaitingBatch[] = []
      for (const entry of waiting) {
        const verdict = await judge.judge(entry.decoded, entry.inclusion)
        moved ||= verdict.verdict === 'accept'
        if (waits(verdict)) kept.push(entry)
        else tellVerdict(entry.batch, verdict)
      }
      waiting = kept
    }
  }

  function tellVerdict(batch: number, { givenUpBlocks, ...verdict }: Omit<Verdict, 'givenUpBlocks'> & Partial<Verdict>): void {
    events.push({ kind: 'verdict', batch, l1Block: l1Block(), ...verdict })
    if (givenUpBlocks !== undefined && givenUpBlocks > 0) {
      tellDrops([{ stage: 'batch-stream', reason: 'span-batch-given-up', details: { batch, blocks: givenUpBlocks } }])
    }
  }

  async function readBlock(): Promise<void> {
    const transactions = await deps.l1.transactions(context.origin.hash)
    if (transactions === null) {
      throw new DerivationError('derivation/l1-reorg', 'reset', `L1 no longer knows block ${l1Block()} (${context.origin.hash})`)
    }
    for (const { seen, hash, data, partial } of await inspectTransactions(context, traversal.systemConfig, transactions, deps)) {
      const inspected = []
      for (const item of data) inspected.push(await inspectFrames(context, item))
      const malformed = inspected.flatMap((item) => item.malformed ?? [])
      const frames = inspected.flatMap((item) => item.frames)
      // The transaction's event names one reason; the others have events of their own.
      const more = seen.dropped === null ? malformed.slice(1) : malformed
      events.push({ ...seen, frames: frames.length, dropped: seen.dropped ?? malformed[0]?.reason ?? null })
      tellDrops([...partial, ...more], { transaction: hash })
      for (const { frame, dropped } of frames) {
        const at = events.length
        const refused = dropped ?? (await feed(frame))
        const { channelId: channel, number, isLast: last } = frame
        // Insert before the events that this frame caused.
        events.splice(at, 0, {
          kind: 'frame',
          l1Block: l1Block(),
          transaction: hash,
          channel,
          number,
          bytes: frame.data.length,
          last,
          dropped: refused,
        })
      }
    }
  }

  function takeEvents(): readonly InspectionEvent[] {
    const taken = events
    events = []
    return taken
  }

  return {
    get l1Origin() {
      return context.origin
    },
    async next() {
      if (!(await moveOn())) return null
      judge.learn(context.origin)
      await feed(null)
      await readBlock()
      return takeEvents()
    },
    finish() {
      for (const channel of ledger.takeAll()) tellChannel(channel, 'open', null)
      return takeEvents()
    },
  }
}

const waits = ({ verdict }: Verdict) => verdict === 'future' || verdict === 'undecided'

function describeBatch(
  { genesis, blockTimeSec }: RollupConfig,
  decoded: DecodedBatch,
  where: Pick<BatchSeen, 'batch' | 'l1Block' | 'channel'>,
): BatchSeen {
  const numberOf = (timestampSec: number) => {
    const behind = timestampSec - genesis.l2TimestampSec
    return behind > 0 && behind % blockTimeSec === 0 ? genesis.l2.number + behind / blockTimeSec : null
  }
  if (decoded.kind === 'singular') {
    const { parentHash, epoch, timestampSec, transactions } = decoded.batch
    return {
      kind: 'batch',
      ...where,
      type: 'singular',
      fromL2Block: numberOf(timestampSec),
      l2Blocks: 1,
      transactions: transactions.length,
      fromTimestamp: timestampSec,
      toTimestamp: timestampSec,
      fromEpoch: epoch.number,
      toEpoch: epoch.number,
      parent: parentHash,
      epochHash: epoch.hash,
    }
  }
  const { blockCount, transactionCount, first, last, parentCheck, l1OriginCheck } = decoded.batch
  return {
    kind: 'batch',
    ...where,
    type: 'span',
    fromL2Block: numberOf(first.timestampSec),
    l2Blocks: blockCount,
    transactions: transactionCount,
    fromTimestamp: first.timestampSec,
    toTimestamp: last.timestampSec,
    fromEpoch: first.epochNumber,
    toEpoch: last.epochNumber,
    parent: bytesToHex(parentCheck),
    epochHash: bytesToHex(l1OriginCheck),
  }
}
