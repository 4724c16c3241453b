/** Files of a package as npm packs it: a gzipped tar archive. POSIX.1-2017, pax, "ustar Interchange Format". */
import { gunzipSync } from 'node:zlib'

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12

/** Null when the archive does not have the file. Throws an Error when it is damaged or has more than `maxBytes` in all. */
export function readPackedFile(tarball: Uint8Array, path: string, maxBytes: number): Uint8Array | null {
  const archive = gunzipSync(tarball, { maxOutputLength: maxBytes })
  for (let at = 0; at + BLOCK_BYTES <= archive.length; ) {
    const name = textAt(archive, at, NAME_BYTES)
    const bytes = Number.parseInt(textAt(archive, at + SIZE_AT, SIZE_BYTES).trim() || '0', 8)
    const start = at + BLOCK_BYTES
    if (!Number.isSafeInteger(bytes) || start + bytes > archive.length) throw new Error(`${path}: the archive is cut off`)
    if (name === path) return archive.subarray(start, start + bytes)
    at = start + Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
  }
  return null
}

function textAt(archive: Buffer, at: number, bytes: number): string {
  const field = archive.subarray(at, at + bytes)
  const end = field.indexOf(0)
  return field.toString('latin1', 0, end < 0 ? bytes : end)
}
