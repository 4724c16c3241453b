/**
 * Bytes as strings of one byte each, which sort like the bytes. A string costs a quarter of the memory of an array
 * with a buffer of its own, and garbage collection does not have to look into it.
 */
const { latin1Slice, latin1Write } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string
  latin1Write(this: Uint8Array, text: string, offset: number, length: number): number
}

export function textOf(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length)
}

export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  latin1Write.call(bytes, text, 0, text.length)
  return bytes
}
