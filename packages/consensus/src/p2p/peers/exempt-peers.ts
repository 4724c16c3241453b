export interface ExemptPeers {
  has(peerId: string): boolean
  protect(peerId: string): void
  unprotect(peerId: string): void
  readonly named: readonly string[]
}

const MAX_PROTECTED = 1_000

/** `named` lists peer ids, or multiaddresses that end in one. */
export function createExemptPeers(named: readonly string[]): ExemptPeers {
  const ids = new Set(named.map(peerIdIn).filter((id) => id !== null))
  const protectedIds = new Set<string>()
  return {
    has: (peerId) => ids.has(peerId) || protectedIds.has(peerId),
    protect(peerId) {
      if (protectedIds.size < MAX_PROTECTED) protectedIds.add(peerId)
    },
    unprotect: (peerId) => void protectedIds.delete(peerId),
    named: [...ids],
  }
}

function peerIdIn(text: string): string | null {
  if (!text.startsWith('/')) return text
  return /\/p2p\/([^/]+)$/.exec(text)?.[1] ?? null
}
