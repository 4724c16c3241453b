/**
 * Bytes as keys of a Map: one character a byte, so strings compare as the bytes do and cost a
 * fraction of hex.
 */

/** Bytes put one after another. */
export function bytesToKey(bytes: Uint8Array): string {
  let key = ''
  for (let i = 0; i < bytes.length; i++) key += String.fromCharCode(bytes[i] as number)
  return key
}

export function keyToBytes(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) bytes[i] = key.charCodeAt(i)
  return bytes
}
