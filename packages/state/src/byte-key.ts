/** Map keys that sort like the bytes and cost less than hex strings. */

export function bytesToKey(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

export function keyToBytes(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) bytes[i] = key.charCodeAt(i)
  return bytes
}
