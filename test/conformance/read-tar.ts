/** Files of a .tar.gz, one after another, without unpacking it to disk. POSIX ustar. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const BLOCK = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12
const TYPE_AT = 156
const PREFIX_AT = 345
const PREFIX_BYTES = 155

export interface TarFile {
  readonly path: string
  readonly bytes: Buffer
}

export function* readTarGz(path: string): Iterable<TarFile> {
  const tar = gunzipSync(readFileSync(path))
  const text = (at: number, length: number) => {
    const field = tar.subarray(at, at + length)
    const end = field.indexOf(0)
    return field.subarray(0, end === -1 ? length : end).toString('utf8')
  }
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + SIZE_AT, SIZE_BYTES).trim(), 8)
    const type = String.fromCharCode(tar[at + TYPE_AT] as number)
    const prefix = text(at + PREFIX_AT, PREFIX_BYTES)
    const name = text(at, NAME_BYTES)
    const body = at + BLOCK
    if (type === '0' || type === '\0') yield { path: prefix === '' ? name : `${prefix}/${name}`, bytes: tar.subarray(body, body + size) }
    at = body + Math.ceil(size / BLOCK) * BLOCK
  }
}
