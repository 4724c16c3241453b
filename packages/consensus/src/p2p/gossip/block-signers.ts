/**
 * The keys whose blocks gossip accepts: the one that L1 names, and after a change the previous one, until the new one has signed a
 * block or three hours have passed, as in op-node. A sequencer cannot change its key in the moment in which L1 does.
 */
import type { Address } from '@keelson/primitives'

const GRACE_MS = 3 * 60 * 60 * 1000
/** Limit on remembered signers of accepted blocks. The signer changes rarely. */
const MAX_REMEMBERED = 8

export interface BlockSigners {
  /** Null while L1 names no signer. */
  current(): Address | null
  maySign(author: Address): boolean
  /** Whether the author may sign, or signed an accepted block, whose copies are no fault of the peers that relay them. */
  isFamiliar(author: Address): boolean
  accepted(author: Address): void
}

export function createBlockSigners(named: () => Address | null, nowMs: () => number): BlockSigners {
  const remembered = new Set<Address>()
  let last: Address | null = null
  let previous: { readonly signer: Address; readonly untilMs: number } | null = null

  function current(): Address | null {
    const now = named()
    if (now === null || now === last) return now
    if (last !== null) previous = { signer: last, untilMs: nowMs() + GRACE_MS }
    last = now
    return now
  }

  function maySign(author: Address): boolean {
    if (author === current()) return true
    return previous !== null && previous.signer === author && nowMs() < previous.untilMs
  }

  return {
    current,
    maySign,
    isFamiliar: (author) => maySign(author) || remembered.has(author),
    accepted(author) {
      if (author === current()) previous = null
      remembered.delete(author)
      remembered.add(author)
      if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.values().next().value as Address)
    },
  }
}
