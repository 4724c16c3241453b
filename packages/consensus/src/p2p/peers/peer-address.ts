import { parseBootnode } from '@keelson/runtime/discovery'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'

/** Returns what was expected, as text to follow "expected ...", or null if valid. */
export function multiaddressMistake(text: string): string | null {
  return readMultiaddress(text) === null ? 'a multiaddress such as /ip4/192.0.2.1/tcp/9222' : null
}

/** The address must contain the peer id. */
export function peerAddressMistake(text: string): string | null {
  const address = readMultiaddress(text)
  if (address === null) return 'a multiaddress such as /ip4/192.0.2.1/tcp/9222/p2p/16Uiu2HAm...'
  const peerId = address.getPeerId()
  return peerId !== null && isPeerId(peerId) ? null : 'a multiaddress that ends in /p2p/ and the peer id'
}

/** Accepts a peer id, or an address that ends in one. */
export function peerNameMistake(text: string): string | null {
  if (text.startsWith('/')) return peerAddressMistake(text)
  return isPeerId(text) ? null : 'a peer id such as 16Uiu2HAm...'
}

export function bootnodeMistake(text: string): string | null {
  const parsed = parseBootnode(text)
  return parsed.kind === 'bad' ? `a record (enr:...) or enode://KEY@ADDRESS:PORT that can be read (${parsed.reason})` : null
}

function readMultiaddress(text: string) {
  if (!text.startsWith('/') || text === '/') return null
  try {
    return multiaddr(text)
  } catch {
    return null
  }
}

function isPeerId(text: string): boolean {
  try {
    peerIdFromString(text)
    return true
  } catch {
    return false
  }
}
