/** POSIX ustar with long names of pax and GNU tar. */

const BLOCK = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12
const TYPE_AT = 156
const PREFIX_AT = 345
const PREFIX_BYTES = 155
const FOLDER = '5'
const PAX = 'x'
const PAX_GLOBAL = 'g'
const GNU_LONG_NAME = 'L'

export interface TarFile {
  readonly path: string
  readonly bytes: Buffer
}

export function* readTar(tar: Buffer): Iterable<TarFile> {
  let longName: string | null = null
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(textAt(tar, at + SIZE_AT, SIZE_BYTES).trim(), 8)
    const type = String.fromCharCode(tar[at + TYPE_AT] as number)
    const prefix = textAt(tar, at + PREFIX_AT, PREFIX_BYTES)
    const name = textAt(tar, at, NAME_BYTES)
    const body = at + BLOCK
    if (!(body + size <= tar.length)) throw new Error(`the archive ends inside ${name}`)
    const bytes = tar.subarray(body, body + size)
    at = body + Math.ceil(size / BLOCK) * BLOCK
    if (type === PAX) longName = paxPath(bytes) ?? longName
    else if (type === GNU_LONG_NAME) longName = textAt(bytes, 0, bytes.length)
    else if (type === '0' || type === '\0') {
      yield { path: longName ?? (prefix === '' ? name : `${prefix}/${name}`), bytes }
      longName = null
    } else if (type === FOLDER) longName = null
    else if (type !== PAX_GLOBAL) throw new Error(`${name} is neither a file nor a folder (tar type ${type})`)
  }
}

function textAt(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.subarray(0, end === -1 ? length : end).toString('utf8')
}

function paxPath(bytes: Buffer): string | null {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(bytes.toString('utf8'))?.[1] ?? null
}
