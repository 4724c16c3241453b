/**
 * The rate at which frames of gossip and their parts are read: one for all peers of an address and all their streams, since
 * peer ids and streams are free.
 */
import type { Clock } from '@keelson/primitives'
import { createTokenBuckets, type TokenBucket } from '@keelson/runtime'
import { createAddressBuckets } from '../peers/address-buckets.ts'
import { isLoopback } from '../peers/address-scope.ts'

export interface GossipPartsDependencies {
  readonly clock: Clock
  /** These have a rate of their own. */
  readonly isTrusted: (peerId: string) => boolean
  /** Null when it is not known. */
  readonly addressOf: (peerId: string) => string | null
}

/** For frames and their parts, a token each. More is read later, so the sender waits. */
const PARTS_FROM_AN_ADDRESS = { perSec: 4_000, burst: 16_384 }
/** Peers with a rate of their own; those seen longest ago make room. */
const MAX_PEERS = 1_024

/** The bucket that a peer's frames are paid from. */
export function createGossipParts({ clock, isTrusted, addressOf }: GossipPartsDependencies): (peerId: string) => TokenBucket {
  const byAddress = createAddressBuckets(PARTS_FROM_AN_ADDRESS, clock)
  const byPeer = createTokenBuckets(PARTS_FROM_AN_ADDRESS, clock, MAX_PEERS)

  return (peerId) => {
    const ip = isTrusted(peerId) ? null : addressOf(peerId)
    return ip === null || isLoopback(ip) ? byPeer(peerId) : byAddress.of(ip)
  }
}
