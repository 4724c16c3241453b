import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'

export interface PeerBudget {
  isSpent(peer: string): boolean
  spend(peer: string): void
  /** Charges before asynchronous work, so that work in progress counts. Refund the reservation when the result is accepted. */
  reserve(peer: string): Reservation | null
}

export interface Reservation {
  refund(): void
}

const MAX_PEERS = 1_024

export function createPeerBudget(options: TokenBucketOptions, clock: Clock): PeerBudget {
  /** `next`: whether the token for the next charge was already taken. */
  const accounts = new Map<string, { readonly bucket: TokenBucket; next: boolean }>()

  function accountOf(peer: string) {
    const account = accounts.get(peer) ?? { bucket: createTokenBucket(options, clock), next: false }
    accounts.delete(peer)
    accounts.set(peer, account)
    if (accounts.size > MAX_PEERS) accounts.delete(accounts.keys().next().value as string)
    account.next ||= account.bucket.tryTake()
    return account
  }

  return {
    isSpent: (peer) => !accountOf(peer).next,
    spend(peer) {
      accountOf(peer).next = false
    },
    reserve(peer) {
      const account = accountOf(peer)
      if (!account.next) return null
      account.next = false
      return { refund: () => account.bucket.putBack() }
    },
  }
}
