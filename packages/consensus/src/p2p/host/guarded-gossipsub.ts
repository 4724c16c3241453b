/**
 * Charges a frame's parts to the sender before decoding, and checks the sender's score after every message. The library checks it
 * only once per frame, and its score may be half a second old.
 */
import { GossipSub, type GossipSubComponents, type GossipsubOpts } from '@chainsafe/libp2p-gossipsub'
import type { RPC } from '@chainsafe/libp2p-gossipsub/message'
import { nextTurn, type TokenBucket } from '@keelson/runtime'
import type { PeerId } from '@libp2p/interface'
import { countFrameParts, FRAME_LIMITS } from './gossip-frame.ts'

export interface GossipGuard {
  /** When this bucket is empty, reading is delayed. */
  readonly partsOf: (peerId: string) => TokenBucket
  readonly topicsInOrder: ReadonlySet<string>
  readonly lowestScore: number
  /** Called for a frame that no correct client sends: malformed, or beyond FRAME_LIMITS. */
  readonly onBadFrame: (peerId: string) => void
  readonly onLowScore: (peerId: string) => void
}

/** An empty frame takes as long as this many parts. */
const FRAME_TOKENS = 16
const TOKENS_IN_A_TURN = 512
const BYTES_PER_TOKEN = 16_384

interface Internals {
  pipePeerReadStream(peerId: PeerId, frames: AsyncIterable<Frame>): Promise<void>
  removePeer(peerId: PeerId): unknown
}

interface Frame {
  readonly byteLength: number
  subarray(): Uint8Array
}

export function guardedGossipsub(options: Partial<GossipsubOpts>, guard: GossipGuard): (components: GossipSubComponents) => GossipSub {
  return (components) => new GuardedGossipSub(components, { ...options, decodeRpcLimits: DECODE_LIMITS }, guard)
}

const DECODE_LIMITS = {
  maxSubscriptions: FRAME_LIMITS.subscriptions,
  maxMessages: FRAME_LIMITS.messages,
  maxIhaveMessageIDs: FRAME_LIMITS.controls,
  maxIwantMessageIDs: FRAME_LIMITS.controls,
  maxIdontwantMessageIDs: FRAME_LIMITS.messageIds,
  maxControlMessages: FRAME_LIMITS.controls,
  maxPeerInfos: FRAME_LIMITS.peers,
}

class GuardedGossipSub extends GossipSub {
  private readonly guard: GossipGuard
  private readonly readers = new Map<string, AbortController>()

  constructor(components: GossipSubComponents, options: Partial<GossipsubOpts>, guard: GossipGuard) {
    super(components, { ...options, awaitRpcHandler: true, awaitRpcMessageHandler: true })
    this.guard = guard
    const internals = this as unknown as Internals
    const read = internals.pipePeerReadStream.bind(this)
    const remove = internals.removePeer.bind(this)
    internals.pipePeerReadStream = (peerId, frames) => read(peerId, this.decodable(peerId, frames, this.startReading(peerId)))
    internals.removePeer = (peerId) => {
      this.stopReading(peerId)
      return remove(peerId)
    }
  }

  override async handleReceivedRpc(from: PeerId, { subscriptions, messages, control }: RPC): Promise<void> {
    const peer = from.toString()
    if (!this.isHeard(peer)) return
    if (subscriptions.length > 0) await super.handleReceivedRpc(from, { subscriptions, messages: [] })
    for (const message of messages) {
      // Without a validator, the library would cache the message, and its id for a minute.
      if (!this.topicValidators.has(message.topic)) continue
      const handled = super.handleReceivedRpc(from, { subscriptions: [], messages: [message] })
      if (this.guard.topicsInOrder.has(message.topic)) await handled
      else handled.catch((error: unknown) => this.log(error))
      // let finished verdicts change the score
      await nextTurn()
      if (this.isHeard(peer)) continue
      this.guard.onLowScore(peer)
      return
    }
    if (control !== undefined) await super.handleReceivedRpc(from, { subscriptions: [], messages: [], control })
    if (!this.isHeard(peer)) this.guard.onLowScore(peer)
  }

  private isHeard(peer: string): boolean {
    this.score.scoreCache.delete(peer)
    return this.score.score(peer) >= this.guard.lowestScore
  }

  private startReading(peerId: PeerId): AbortSignal {
    this.stopReading(peerId)
    const reader = new AbortController()
    this.readers.set(peerId.toString(), reader)
    return reader.signal
  }

  private stopReading(peerId: PeerId): void {
    this.readers.get(peerId.toString())?.abort()
    this.readers.delete(peerId.toString())
  }

  private async *decodable(peerId: PeerId, frames: AsyncIterable<Frame>, stopped: AbortSignal): AsyncGenerator<Frame> {
    const peer = peerId.toString()
    const bucket = this.guard.partsOf(peer)
    let sinceTurn = 0
    for await (const frame of frames) {
      const bytes = frame.subarray()
      const isHeard = this.isHeard(peer)
      const parts = isHeard ? countFrameParts(bytes) : 0
      const cost = FRAME_TOKENS + (parts ?? FRAME_LIMITS.messageIds) + Math.floor(bytes.length / BYTES_PER_TOKEN)
      if (!bucket.tryTake(cost)) await bucket.take(cost, stopped).catch(() => undefined)
      if (stopped.aborted) return
      sinceTurn += cost
      if (sinceTurn >= TOKENS_IN_A_TURN) {
        sinceTurn = 0
        await nextTurn()
      }
      if (parts === null) this.guard.onBadFrame(peer)
      // The decoder needs the bytes in one piece.
      else if (isHeard) yield { byteLength: bytes.length, subarray: () => bytes }
    }
  }
}
