/** The hex-prefix form of a path (Yellow paper, appendix C). Requests of snap/1 name no leaves, so its flag is ignored. */
export function compactPath(compact: Uint8Array): Uint8Array {
  const first = compact[0] ?? 0
  const odd = (first & 0x10) !== 0
  const nibbles = new Uint8Array(Math.max(0, compact.length - 1) * 2 + (odd ? 1 : 0))
  let at = 0
  if (odd) nibbles[at++] = first & 15
  for (let i = 1; i < compact.length; i++) {
    nibbles[at++] = (compact[i] as number) >> 4
    nibbles[at++] = (compact[i] as number) & 15
  }
  return nibbles
}

export function toCompactPath(nibbles: Uint8Array): Uint8Array {
  const odd = nibbles.length % 2
  const out = new Uint8Array((nibbles.length >> 1) + 1)
  out[0] = odd === 1 ? 0x10 | (nibbles[0] as number) : 0
  for (let i = odd, at = 1; i < nibbles.length; i += 2) out[at++] = ((nibbles[i] as number) << 4) | (nibbles[i + 1] as number)
  return out
}
