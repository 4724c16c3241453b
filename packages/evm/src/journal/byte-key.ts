/** Map keys of addresses and words: two bytes in each character. Spread out, because `apply` takes ten times as long. */

const ADDRESS_BYTES = 20
export const ADDRESS_KEY_LENGTH = ADDRESS_BYTES / 2

/** `bytes` is an address or a word. */
export function bytesKey(bytes: Uint8Array): string {
  return bytes.length === ADDRESS_BYTES ? addressKey(bytes) : wordKey(bytes)
}

function pair(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
}

function addressKey(b: Uint8Array): string {
  return String.fromCharCode(
    pair(b, 0),
    pair(b, 2),
    pair(b, 4),
    pair(b, 6),
    pair(b, 8),
    pair(b, 10),
    pair(b, 12),
    pair(b, 14),
    pair(b, 16),
    pair(b, 18),
  )
}

function wordKey(b: Uint8Array): string {
  return String.fromCharCode(
    pair(b, 0),
    pair(b, 2),
    pair(b, 4),
    pair(b, 6),
    pair(b, 8),
    pair(b, 10),
    pair(b, 12),
    pair(b, 14),
    pair(b, 16),
    pair(b, 18),
    pair(b, 20),
    pair(b, 22),
    pair(b, 24),
    pair(b, 26),
    pair(b, 28),
    pair(b, 30),
  )
}

/** The key of an address in three little-endian limbs. */
export function addressKeyAt(view: DataView, at: number): string {
  return String.fromCharCode(
    view.getUint16(at + 18, true),
    view.getUint16(at + 16, true),
    view.getUint16(at + 14, true),
    view.getUint16(at + 12, true),
    view.getUint16(at + 10, true),
    view.getUint16(at + 8, true),
    view.getUint16(at + 6, true),
    view.getUint16(at + 4, true),
    view.getUint16(at + 2, true),
    view.getUint16(at, true),
  )
}

/** The key of a word in four little-endian limbs. */
export function wordKeyAt(view: DataView, at: number): string {
  return String.fromCharCode(
    view.getUint16(at + 30, true),
    view.getUint16(at + 28, true),
    view.getUint16(at + 26, true),
    view.getUint16(at + 24, true),
    view.getUint16(at + 22, true),
    view.getUint16(at + 20, true),
    view.getUint16(at + 18, true),
    view.getUint16(at + 16, true),
    view.getUint16(at + 14, true),
    view.getUint16(at + 12, true),
    view.getUint16(at + 10, true),
    view.getUint16(at + 8, true),
    view.getUint16(at + 6, true),
    view.getUint16(at + 4, true),
    view.getUint16(at + 2, true),
    view.getUint16(at, true),
  )
}

export function keyBytes(key: string): Uint8Array {
  const out = new Uint8Array(2 * key.length)
  for (let i = 0; i < key.length; i++) {
    const pairOfBytes = key.charCodeAt(i)
    out[2 * i] = pairOfBytes >> 8
    out[2 * i + 1] = pairOfBytes & 0xff
  }
  return out
}
