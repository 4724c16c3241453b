/** ethereum/tests formats, detected by content, plain or in a .tar.gz. */
import type { ConformanceCase } from '../group.ts'
import { readTar } from './read-tar.ts'
import type { VectorFolder } from './vector-folder.ts'

export type EthereumTestFormat =
  | 'state'
  | 'blockchain'
  | 'transaction'
  | 'difficulty'
  | 'genesis-hash'
  | 'key-addresses'
  | 'signed-transactions'
  | 'genesis-blocks'
  | 'genesis'
  | 'keystore'
  | 'trie'
  | 'trie-order'
  | 'rlp'

export interface EthereumTestFile {
  readonly id: string
  readonly content: unknown
}

const FOLDER = 'ethereum-tests/'
const ARCHIVE = /\.tar\.gz$/
const JSON_FILE = /\.json$/

/** Checked in this order, because a blockchain test also has a state test's marks. */
const MARKS: readonly (readonly [EthereumTestFormat, readonly string[]])[] = [
  ['blockchain', ['genesisRLP', 'blocks']],
  ['state', ['pre', 'post', 'env']],
  ['transaction', ['txbytes', 'result']],
  ['difficulty', ['parentDifficulty', 'currentDifficulty']],
  ['genesis-hash', ['genesis_rlp_hex']],
  ['key-addresses', ['seed', 'addr']],
  ['signed-transactions', ['unsigned', 'signed']],
  ['genesis-blocks', ['inputs', 'result']],
  ['keystore', ['ciphertext', 'password']],
  ['genesis', ['alloc', 'result']],
  ['trie', ['in', 'root']],
  ['trie-order', ['in', 'tests']],
  ['rlp', ['in', 'out']],
]

function formatOf(bytes: Buffer): EthereumTestFormat | null {
  return MARKS.find(([, names]) => names.every((name) => bytes.includes(`"${name}"`)))?.[0] ?? null
}

const archives = new Map<string, ReadonlyMap<string, EthereumTestFormat | null>>()

function formatsIn(folder: VectorFolder, path: string): ReadonlyMap<string, EthereumTestFormat | null> {
  const known = archives.get(path)
  if (known !== undefined) return known
  const formats = new Map<string, EthereumTestFormat | null>()
  for (const file of readTar(folder.peek(path))) formats.set(file.path, JSON_FILE.test(file.path) ? formatOf(file.bytes) : null)
  archives.set(path, formats)
  return formats
}

interface Wanted {
  readonly format: EthereumTestFormat
  accepts?(path: string): boolean
}

export function loadEthereumTests(
  folder: VectorFolder,
  { format, accepts = () => true }: Wanted,
  load: (file: EthereumTestFile) => readonly ConformanceCase[],
): ConformanceCase[] {
  const plain = folder.paths(FOLDER, JSON_FILE).filter((path) => accepts(path) && formatOf(folder.peek(path)) === format)
  const packed = folder.paths(FOLDER, ARCHIVE).filter((path) => accepts(path) && holds(folder, path, format))
  return [
    ...folder.casesOf(plain, (path) => load({ id: path.slice(FOLDER.length).replace(JSON_FILE, ''), content: folder.json(path) })),
    ...folder.casesOf(packed, (path) => loadArchive(folder, path, format, load)),
  ]
}

function holds(folder: VectorFolder, path: string, format: EthereumTestFormat): boolean {
  try {
    return [...formatsIn(folder, path).values()].includes(format)
  } catch (error) {
    if (format === 'state') {
      folder.take(path)
      folder.fail(path, `cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`)
    }
    return false
  }
}

function loadArchive(
  folder: VectorFolder,
  path: string,
  format: EthereumTestFormat,
  load: (file: EthereumTestFile) => readonly ConformanceCase[],
): ConformanceCase[] {
  const formats = formatsIn(folder, path)
  const first = [...formats.values()].find((found) => found !== null)
  const archive = path.slice(FOLDER.length).replace(ARCHIVE, '')
  const cases: ConformanceCase[] = []
  for (const file of readTar(folder.bytes(path))) {
    const found = formats.get(file.path) ?? null
    if (found === null && first === format) folder.fail(`${path}: ${file.path}`, 'not read by any group')
    if (found !== format) continue
    try {
      cases.push(...load({ id: `${archive}/${file.path.replace(JSON_FILE, '')}`, content: JSON.parse(file.bytes.toString('utf8')) }))
    } catch (error) {
      folder.fail(`${path}: ${file.path}`, `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return cases
}
