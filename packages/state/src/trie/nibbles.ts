/** Yellow paper, appendix C. */

export function bytesToNibbles(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length * 2)
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    out[2 * i] = byte >> 4
    out[2 * i + 1] = byte & 15
  }
  return out
}

export function nibblesToBytes(nibbles: Uint8Array): Uint8Array {
  const out = new Uint8Array(nibbles.length >> 1)
  for (let i = 0; i < out.length; i++) out[i] = ((nibbles[2 * i] as number) << 4) | (nibbles[2 * i + 1] as number)
  return out
}

export function hexPrefix(nibbles: Uint8Array, leaf: boolean): Uint8Array {
  const odd = nibbles.length % 2
  const out = new Uint8Array((nibbles.length >> 1) + 1)
  out[0] = (leaf ? 0x20 : 0) | (odd === 1 ? 0x10 | (nibbles[0] as number) : 0)
  for (let i = odd, at = 1; i < nibbles.length; i += 2, at++) out[at] = ((nibbles[i] as number) << 4) | (nibbles[i + 1] as number)
  return out
}

export function isLeafPrefix(prefix: Uint8Array): boolean {
  return ((prefix[0] as number) & 0x20) !== 0
}

export function hexPrefixNibbles(prefix: Uint8Array): Uint8Array {
  const odd = ((prefix[0] as number) & 0x10) !== 0 ? 1 : 0
  const out = new Uint8Array((prefix.length - 1) * 2 + odd)
  if (odd === 1) out[0] = (prefix[0] as number) & 15
  for (let i = 1, at = odd; i < prefix.length; i++, at += 2) {
    out[at] = (prefix[i] as number) >> 4
    out[at + 1] = (prefix[i] as number) & 15
  }
  return out
}

export function commonNibbles(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number): number {
  const length = Math.min(a.length - aFrom, b.length - bFrom)
  let n = 0
  while (n < length && a[aFrom + n] === b[bFrom + n]) n++
  return n
}

export function joinNibbles(...parts: readonly (Uint8Array | number)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += typeof part === 'number' ? 1 : part.length
  const out = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    if (typeof part === 'number') out[at++] = part
    else {
      out.set(part, at)
      at += part.length
    }
  }
  return out
}
