/** Bytes as Map keys: one character per byte sorts like the bytes and is cheaper than hex. */

export function bytesToKey(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

export function keyToBytes(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) bytes[i] = key.charCodeAt(i)
  return bytes
}
