const POLYNOMIAL = 0x82f63b78

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

/** CRC-32C (Castagnoli), unsigned. RFC 3720, appendix B.4 */
export function crc32c(data: Uint8Array): number {
  let value = 0xffffffff
  // An index is several times faster than an iterator here.
  for (let i = 0; i < data.length; i++) value = (TABLE[(value ^ (data[i] as number)) & 0xff] as number) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
