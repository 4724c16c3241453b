/**
 * Gossipsub with what the library leaves open: the parts of a frame are bounded and paid for before it is decoded, and
 * the score of the sender is looked at again after every message, so that the rest of a frame is dropped as soon as one
 * message of it costs the sender its standing. The library looks once a frame, at a score up to half a second old.
 */
import { GossipSub, type GossipSubComponents, type GossipsubOpts } from '@chainsafe/libp2p-gossipsub'
import type { RPC } from '@chainsafe/libp2p-gossipsub/message'
import type { Clock } from '@keelson/primitives'
import { createTokenBucket, nextTurn } from '@keelson/runtime'
import type { PeerId } from '@libp2p/interface'
import { countFrameParts, FRAME_LIMITS } from './gossip-frame.ts'

export interface GossipGuard {
  readonly clock: Clock
  /** Topics whose messages are judged one after the other; the judges of others may wait for something. */
  readonly topicsInOrder: ReadonlySet<string>
  /** Scores below this are not listened to. */
  readonly lowestScore: number
  /** A frame that no client sends: malformed, or beyond FRAME_LIMITS. */
  readonly onBadFrame: (peerId: string) => void
  /** A message has taken the score of its sender below `lowestScore`. */
  readonly onLowScore: (peerId: string) => void
}

/** For the frames of one peer and their parts, a token each. More is read later, so the sender waits. */
const PARTS_OF_A_PEER = { perSec: 4_000, burst: 16_384 }
/** An empty frame takes as long as so many parts. */
const FRAME_TOKENS = 16
/** After frames of so many tokens, other work gets a turn. */
const TOKENS_IN_A_TURN = 512
/** A frame of so many bytes costs a token more. */
const BYTES_PER_TOKEN = 16_384

/** The methods that the library does not declare for others. */
interface Internals {
  pipePeerReadStream(peerId: PeerId, frames: AsyncIterable<Frame>): Promise<void>
}

interface Frame {
  readonly byteLength: number
  subarray(): Uint8Array
}

export function guardedGossipsub(options: Partial<GossipsubOpts>, guard: GossipGuard): (components: GossipSubComponents) => GossipSub {
  return (components) => new GuardedGossipSub(components, { ...options, decodeRpcLimits: DECODE_LIMITS }, guard)
}

/** The decoder's own limits, for the parts that it can count. */
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

  constructor(components: GossipSubComponents, options: Partial<GossipsubOpts>, guard: GossipGuard) {
    super(components, { ...options, awaitRpcHandler: true, awaitRpcMessageHandler: true })
    this.guard = guard
    const internals = this as unknown as Internals
    const read = internals.pipePeerReadStream.bind(this)
    internals.pipePeerReadStream = (peerId, frames) => read(peerId, this.decodable(peerId, frames))
  }

  override async handleReceivedRpc(from: PeerId, { subscriptions, messages, control }: RPC): Promise<void> {
    const peer = from.toString()
    if (!this.isHeard(peer)) return
    if (subscriptions.length > 0) await super.handleReceivedRpc(from, { subscriptions, messages: [] })
    for (const message of messages) {
      // the library keeps what nobody judges, and remembers its id for a minute
      if (!this.topicValidators.has(message.topic)) continue
      const handled = super.handleReceivedRpc(from, { subscriptions: [], messages: [message] })
      if (this.guard.topicsInOrder.has(message.topic)) await handled
      else handled.catch((error: unknown) => this.log(error))
      // other work gets its turn, and a verdict that is there already counts
      await nextTurn()
      if (this.isHeard(peer)) continue
      this.guard.onLowScore(peer)
      return
    }
    if (control !== undefined) await super.handleReceivedRpc(from, { subscriptions: [], messages: [], control })
    if (!this.isHeard(peer)) this.guard.onLowScore(peer)
  }

  /** By its score as it is now. */
  private isHeard(peer: string): boolean {
    this.score.scoreCache.delete(peer)
    return this.score.score(peer) >= this.guard.lowestScore
  }

  private async *decodable(peerId: PeerId, frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
    const peer = peerId.toString()
    const bucket = createTokenBucket(PARTS_OF_A_PEER, this.guard.clock)
    let sinceTurn = 0
    for await (const frame of frames) {
      const bytes = frame.subarray()
      const isHeard = this.isHeard(peer)
      const parts = isHeard ? countFrameParts(bytes) : 0
      const cost = FRAME_TOKENS + (parts ?? FRAME_LIMITS.messageIds) + Math.floor(bytes.length / BYTES_PER_TOKEN)
      if (!bucket.tryTake(cost)) await bucket.take(cost)
      sinceTurn += cost
      if (sinceTurn >= TOKENS_IN_A_TURN) {
        sinceTurn = 0
        await nextTurn()
      }
      if (parts === null) this.guard.onBadFrame(peer)
      // the decoder wants the same bytes in one piece again
      else if (isHeard) yield { byteLength: bytes.length, subarray: () => bytes }
    }
  }
}
