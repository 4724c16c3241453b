import type { Frame } from '../codec/channel/frame.ts'
import { DerivationError } from '../errors.ts'
import { createChannelAssembler } from '../pipeline/channel-assembler.ts'
import { type ChannelStage, createChannelBank } from '../pipeline/channel-bank.ts'
import { ORIGIN_EXHAUSTED, type Stage } from '../pipeline/stage.ts'
import type { Decompressor } from '../ports.ts'
import type { BatchInspector } from './batch-inspector.ts'
import { createChannelLedger, type OpenChannel } from './channel-ledger.ts'
import { inspectChannel } from './inspect-channel.ts'
import type { Drop, InspectionContext } from './inspection-context.ts'
import type { InspectionLog } from './inspection-log.ts'

const DROPPED_BY_SIZE: ReadonlySet<Drop['reason']> = new Set(['channel-too-large', 'channel-pruned'])

export class ChannelInspector {
  readonly #context: InspectionContext
  readonly #decompressor: Decompressor
  readonly #batches: BatchInspector
  readonly #log: InspectionLog
  readonly #bank: ChannelStage
  readonly #assembler: ChannelStage
  readonly #ledger = createChannelLedger()
  #waitingFrame: Frame | null = null

  constructor(context: InspectionContext, decompressor: Decompressor, batches: BatchInspector, log: InspectionLog) {
    this.#context = context
    this.#decompressor = decompressor
    this.#batches = batches
    this.#log = log
    const frames: Stage<Frame> = { pull: async () => this.#takeFrame() }
    this.#bank = createChannelBank(context, frames)
    this.#assembler = createChannelAssembler(context, frames)
  }

  /** `frame` is null for a new L1 block. Returns why the frame is refused. */
  async feed(frame: Frame | null): Promise<Drop['reason'] | null> {
    this.#waitingFrame = frame
    const stage = this.#context.rules.strictOrdering ? this.#assembler : this.#bank
    const complete: Uint8Array[] = []
    for (let pulled = await stage.pull(); pulled.kind !== 'origin-exhausted'; pulled = await stage.pull()) {
      if (pulled.kind === 'item') complete.push(pulled.item)
    }
    const drops = this.#context.takeDrops()
    const ofFrame = this.#endChannels(
      drops.filter(({ reason }) => !DROPPED_BY_SIZE.has(reason)),
      frame,
    )
    if (frame !== null && ofFrame === null) this.#ledger.add(frame, this.#log.l1Block)
    this.#endChannels(drops.filter(({ reason }) => DROPPED_BY_SIZE.has(reason)))
    for (const data of complete) await this.#read(data)
    return ofFrame?.reason ?? null
  }

  discard(): void {
    this.#bank.discard()
    this.#endChannels(this.#context.takeDrops())
  }

  finish(): void {
    for (const channel of this.#ledger.takeAll()) this.#addUnread(channel, 'open', null)
  }

  #takeFrame() {
    if (this.#waitingFrame === null) return ORIGIN_EXHAUSTED
    const item = this.#waitingFrame
    this.#waitingFrame = null
    return { kind: 'item', item } as const
  }

  #endChannels(drops: readonly Drop[], fed: Frame | null = null): Drop | null {
    let ofFrame: Drop | null = null
    for (const drop of drops) {
      if (fed !== null && drop.details.frame === fed.number && drop.details.channel === fed.channelId) {
        ofFrame = drop
        continue
      }
      const channel = drop.details.frame === undefined ? this.#ledger.take(String(drop.details.channel)) : null
      if (channel !== null) this.#addUnread(channel, 'dropped', drop.reason)
      else this.#log.addDrops([drop])
    }
    return ofFrame
  }

  #addUnread(channel: OpenChannel, state: 'dropped' | 'open', reason: Drop['reason'] | null): void {
    const { id, openedAt, frames, bytes } = channel
    const unread = { compression: null, compressedBytes: bytes, uncompressedBytes: 0, batches: 0 }
    this.#log.add({ kind: 'channel', l1Block: this.#log.l1Block, channel: id, state, reason, openedAt, frames, ...unread })
  }

  async #read(data: Uint8Array): Promise<void> {
    const channel = this.#ledger.takeReady()
    if (channel === null)
      throw new DerivationError('derivation/internal', 'critical', 'the channel stage returned a channel that the ledger has as incomplete')
    const { compression, uncompressedBytes, batches, drops } = await inspectChannel(this.#context, data, this.#decompressor)
    const { id, openedAt, frames } = channel
    this.#log.add({
      kind: 'channel',
      l1Block: this.#log.l1Block,
      channel: id,
      state: 'complete',
      reason: drops[0]?.reason ?? null,
      openedAt,
      frames,
      compression,
      compressedBytes: data.length,
      uncompressedBytes,
      batches: batches.length,
    })
    this.#log.addDrops(drops, { channel: id })
    await this.#batches.read(id, batches)
  }
}
