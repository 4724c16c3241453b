/** Limits gossip frames and their parts per address, because peer ids and streams cost nothing. */
import type { Clock } from '@keelson/primitives'
import { createTokenBuckets, type TokenBucket } from '@keelson/runtime'
import { createAddressBuckets, isLoopback } from '@keelson/runtime/peers'

export interface GossipPartsDependencies {
  readonly clock: Clock
  readonly isTrusted: (peerId: string) => boolean
  readonly addressOf: (peerId: string) => string | null
}

/** Tokens that GuardedGossipSub charges; a sender without tokens must wait. */
const PARTS_FROM_AN_ADDRESS = { perSec: 4_000, burst: 16_384 }
const MAX_PEERS = 1_024

export function createGossipParts({ clock, isTrusted, addressOf }: GossipPartsDependencies): (peerId: string) => TokenBucket {
  const byAddress = createAddressBuckets(PARTS_FROM_AN_ADDRESS, clock)
  const byPeer = createTokenBuckets(PARTS_FROM_AN_ADDRESS, clock, MAX_PEERS)

  return (peerId) => {
    const ip = isTrusted(peerId) ? null : addressOf(peerId)
    return ip === null || isLoopback(ip) ? byPeer(peerId) : byAddress.of(ip)
  }
}
