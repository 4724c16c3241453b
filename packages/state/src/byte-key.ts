/**
 * Bytes as keys of a Map: one character a byte, so strings compare as the bytes do and cost a
 * fraction of hex.
 */

/** For keys, that is up to some hundred bytes. */
export function bytesToKey(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

export function keyToBytes(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) bytes[i] = key.charCodeAt(i)
  return bytes
}
