/**
 * Fork times of a newer superchain registry, in a role's data directory. They replace those of rollup.json from the next start on,
 * never silently. `keelson network update` writes the file.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CodecError, type Hash, parseHash, parseJsonInteger, parseJsonObject } from '@keelson/primitives'
import { replaceFile } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'

export const FORK_TIMES_FILE = 'fork-times.json'
const MAX_BYTES = 64 * 1024
const MAX_FORKS = 64
const FORK_NAME = /^[a-z][a-z0-9_]{0,39}$/

export interface NewerForkTime {
  readonly timeSec: number
  /** Path or URL of the registry's file. */
  readonly source: string
  /** When the registry was read. Kept while later updates find the same time. */
  readonly readAtSec: number
}

export interface NewerForkTimes {
  readonly network: string
  readonly chainId: bigint
  readonly genesisHash: Hash
  readonly forks: ReadonlyMap<string, NewerForkTime>
}

/** Null without the file. Throws AssemblyError `node/usage`. */
export function readForkTimesFile(dataDir: string): NewerForkTimes | null {
  const path = join(dataDir, FORK_TIMES_FILE)
  try {
    const { size } = statSync(path)
    if (size > MAX_BYTES) throw new CodecError('codec/json', `${size} bytes, at most ${MAX_BYTES} are expected`)
    return parseForkTimes(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    const todo = 'remove it to go on with the times of this release, or write it again with keelson network update'
    throw new AssemblyError('node/usage', `${path} cannot be used: ${message}; ${todo}`, {}, { cause })
  }
}

function parseForkTimes(json: unknown): NewerForkTimes {
  const { network, chainId, genesisHash, forks } = parseJsonObject(json, 'the document')
  const entries = Object.entries(parseJsonObject(forks, 'forks'))
  if (entries.length > MAX_FORKS) throw new CodecError('codec/json', `forks: at most ${MAX_FORKS} are expected, got ${entries.length}`)
  return {
    network: text(network, 'network'),
    chainId: BigInt(parseJsonInteger(chainId, 'chainId')),
    genesisHash: parseHash(genesisHash, 'genesisHash'),
    forks: new Map(
      entries.map(([name, entry]) => {
        if (!FORK_NAME.test(name)) throw new CodecError('codec/json', `forks: expected names of forks, got ${JSON.stringify(name)}`)
        const { time, source, readAt } = parseJsonObject(entry, `forks.${name}`)
        const timeSec = parseJsonInteger(time, `forks.${name}.time`)
        return [name, { timeSec, source: text(source, `forks.${name}.source`), readAtSec: dateSec(readAt, `forks.${name}.readAt`) }]
      }),
    ),
  }
}

export async function writeForkTimesFile(dataDir: string, { network, chainId, genesisHash, forks }: NewerForkTimes): Promise<void> {
  const entries = [...forks].map(([name, { timeSec, source, readAtSec }]) => {
    return [name, { time: timeSec, source, readAt: new Date(readAtSec * 1000).toISOString() }] as const
  })
  const json = { network, chainId: Number(chainId), genesisHash, forks: Object.fromEntries(entries) }
  await replaceFile(join(dataDir, FORK_TIMES_FILE), `${JSON.stringify(json, null, 2)}\n`)
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 2048) return value
  throw new CodecError('codec/json', `${what}: expected 1 to 2048 characters`)
}

function dateSec(value: unknown, what: string): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isFinite(ms)) return Math.floor(ms / 1000)
  throw new CodecError('codec/json', `${what}: expected a date such as 2026-11-28T12:00:00Z`)
}
