/**
 * Converts geth's chain config to an L1ChainConfig and back. An unknown `*Time` key schedules an unsupported fork: the config
 * keeps the earliest one.
 */
import { CodecError, parseJsonInteger, parseJsonObject } from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import { createJsonReader, type JsonReader, type Parse } from './json-reader.ts'
import type { BlobParameters, L1ChainConfig } from './l1-chain.ts'
import type { EthFork } from './rules.ts'
import { earliestFork, type UnsupportedFork } from './unsupported-fork.ts'

/** Frontier is absent because it has no key. */
const BLOCK_KEYS: readonly (readonly [EthFork, string])[] = [
  ['homestead', 'homesteadBlock'],
  ['tangerine', 'eip150Block'],
  ['spurious', 'eip158Block'],
  ['byzantium', 'byzantiumBlock'],
  ['constantinople', 'constantinopleBlock'],
  ['petersburg', 'petersburgBlock'],
  ['istanbul', 'istanbulBlock'],
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock'],
  ['paris', 'mergeNetsplitBlock'],
]
const TIME_KEYS: readonly (readonly [EthFork, string])[] = [
  ['shanghai', 'shanghaiTime'],
  ['cancun', 'cancunTime'],
  ['prague', 'pragueTime'],
  ['osaka', 'osakaTime'],
  ['amsterdam', 'amsterdamTime'],
]
const KNOWN_TIMES = new Set(TIME_KEYS.map(([, key]) => key))
/** Forks that may change blob parameters. */
const BLOB_FORKS = ['cancun', 'prague', 'osaka', 'amsterdam']
const BLOB_FORK = /^(cancun|prague|osaka|amsterdam|bpo[1-9][0-9]?)$/
const BPO_TIME = /^bpo[1-9][0-9]?Time$/
const FORK_TIME = /^[A-Za-z][A-Za-z0-9]*Time$/

type Fork = L1ChainConfig['forks'][number]

/** Throws ChainspecError `chainspec/l1-chain` with every mistake. */
export function loadL1ChainConfig(json: unknown): L1ChainConfig {
  const mistakes: string[] = []
  const whole = createJsonReader(json, mistakes)
  const root = whole.has('config') && !whole.has('chainId') ? whole.child('config') : whole
  const config: L1ChainConfig = {
    chainId: root.required('chainId', (value, what) => BigInt(parseJsonInteger(value, what)), 0n),
    forks: readForks(root),
    blobSchedule: readBlobSchedule(root),
    firstUnsupportedFork: readFirstUnsupportedFork(root),
  }
  checkOrder(config.forks, mistakes)
  if (mistakes.length > 0) throw new ChainspecError('chainspec/l1-chain', 'L1 chain config', mistakes)
  return config
}

function readForks(root: JsonReader): Fork[] {
  const forks: Fork[] = [{ fork: 'frontier', fromBlock: 0, fromTimeSec: null }]
  for (const [fork, key] of BLOCK_KEYS) {
    let fromBlock = root.optional<number | null>(key, parseJsonInteger, null)
    if (fork === 'petersburg') fromBlock ??= root.optional<number | null>('constantinopleBlock', parseJsonInteger, null)
    if (fork === 'paris') fromBlock ??= mergedFromTheStart(root) ? 0 : null
    if (fromBlock !== null) forks.push({ fork, fromBlock, fromTimeSec: null })
  }
  for (const [fork, key] of TIME_KEYS) {
    const fromTimeSec = root.optional<number | null>(key, parseJsonInteger, null)
    if (fromTimeSec !== null) forks.push({ fork, fromBlock: null, fromTimeSec })
  }
  return forks
}

function readFirstUnsupportedFork(root: JsonReader): UnsupportedFork | null {
  const unknown = root.keys.filter((key) => FORK_TIME.test(key) && !KNOWN_TIMES.has(key) && !BPO_TIME.test(key))
  return earliestFork(
    unknown.flatMap((key) => {
      const timeSec = root.optional<number | null>(key, parseJsonInteger, null)
      return timeSec === null ? [] : [{ name: key.slice(0, -'Time'.length), timeSec }]
    }),
  )
}

function mergedFromTheStart(root: JsonReader): boolean {
  return root.optional<unknown>('terminalTotalDifficulty', (value) => value, null) === 0
}

function readBlobSchedule(root: JsonReader): BlobParameters[] {
  if (!root.has('blobSchedule')) {
    if (root.has('cancunTime')) root.mistake('blobSchedule is missing: this L1 has blobs (cancunTime), so their parameters must be stated')
    return []
  }
  const schedule = root.child('blobSchedule')
  const entries: BlobParameters[] = []
  for (const name of schedule.keys) {
    // an unsupported fork never activates here
    if (!BLOB_FORK.test(name)) continue
    const fromTimeSec = root.optional<number | null>(`${name}Time`, parseJsonInteger, null)
    if (fromTimeSec === null || !schedule.has(name)) continue
    entries.push({ fromTimeSec, name, ...schedule.required(name, blobParameters, { target: 1, max: 1, baseFeeUpdateFraction: 1n }) })
  }
  for (const key of root.keys.filter((candidate) => BPO_TIME.test(candidate) && root.has(candidate))) {
    const name = key.slice(0, -'Time'.length)
    if (!schedule.has(name)) root.mistake(`${key} is set, but blobSchedule.${name} is missing`)
  }
  return entries.sort((a, b) => a.fromTimeSec - b.fromTimeSec || rank(a.name) - rank(b.name))
}

/** Returns a sort key: among entries at the same time, the one with the highest rank counts. */
function rank(name: string): number {
  const named = BLOB_FORKS.indexOf(name)
  return named >= 0 ? named : BLOB_FORKS.length + Number(name.slice('bpo'.length))
}

const blobParameters: Parse<Pick<BlobParameters, 'target' | 'max' | 'baseFeeUpdateFraction'>> = (value, what) => {
  const entry = parseJsonObject(value, what)
  const target = parseJsonInteger(entry.target, `${what}.target`)
  const max = parseJsonInteger(entry.max, `${what}.max`)
  const fraction = parseJsonInteger(entry.baseFeeUpdateFraction, `${what}.baseFeeUpdateFraction`)
  if (fraction === 0) throw new CodecError('codec/number', `${what}.baseFeeUpdateFraction must be above 0`)
  if (target > max) throw new CodecError('codec/number', `${what}.target ${target} is above max ${max}`)
  return { target, max, baseFeeUpdateFraction: BigInt(fraction) }
}

function checkOrder(forks: readonly Fork[], mistakes: string[]): void {
  for (let i = 1; i < forks.length; i++) {
    const [before, fork] = [forks[i - 1] as Fork, forks[i] as Fork]
    for (const key of ['fromBlock', 'fromTimeSec'] as const) {
      const [a, b] = [before[key], fork[key]]
      if (a !== null && b !== null && b < a) mistakes.push(`${fork.fork} is set to ${b}, before ${before.fork} at ${a}`)
    }
  }
}

/** Returns the document that loadL1ChainConfig reads. */
export function l1ChainConfigToJson(config: L1ChainConfig): Record<string, unknown> {
  const out: Record<string, unknown> = { chainId: Number(config.chainId) }
  for (const { fork, fromBlock, fromTimeSec } of config.forks) {
    const key = [...BLOCK_KEYS, ...TIME_KEYS].find(([name]) => name === fork)?.[1]
    if (key !== undefined) out[key] = fromBlock ?? fromTimeSec
    if (fork === 'tangerine') out.eip155Block = config.forks.find((entry) => entry.fork === 'spurious')?.fromBlock ?? null
    if (fork === 'paris') Object.assign(out, { terminalTotalDifficulty: fromBlock === 0 ? 0 : null, terminalTotalDifficultyPassed: true })
  }
  const unsupported = config.firstUnsupportedFork
  if (unsupported !== null) out[`${unsupported.name}Time`] = unsupported.timeSec
  for (const { name, fromTimeSec } of config.blobSchedule) out[`${name}Time`] = fromTimeSec
  if (config.blobSchedule.length > 0) {
    out.blobSchedule = Object.fromEntries(
      config.blobSchedule.map((entry) => [
        entry.name,
        { target: entry.target, max: entry.max, baseFeeUpdateFraction: Number(entry.baseFeeUpdateFraction) },
      ]),
    )
  }
  return Object.fromEntries(Object.entries(out).filter(([, value]) => value !== null))
}
