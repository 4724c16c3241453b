import { crc32c } from '@keelson/primitives'

const MASK_DELTA = 0xa282ead8

/** LevelDB masks checksums, because files may contain data with checksums of their own. leveldb/util/crc32c.h */
export function maskedChecksum(bytes: Uint8Array): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0
}
