import {
  type Address,
  formatQuantity,
  type Hash,
  hexToBytes,
  isGiven,
  keccak256,
  type Log,
  parseAddress,
  parseHash,
  parseJsonArray,
  parseJsonObject,
} from '@keelson/primitives'
import { createTurnTaker, type RpcError } from '@keelson/runtime'
import type { ChainReader, SealedHeader } from '../../chain/chain-reader.ts'
import type { RpcOptions } from '../../options.ts'
import { type Json, logToJson } from '../block-json.ts'
import { headerNotFound, rpcError, unknownBlock } from '../errors.ts'
import { type BlockSelector, findBlock, parseBlockNumberOrTag } from '../params.ts'

export interface LogCriteria {
  /** Empty matches any address. */
  readonly addresses: readonly Address[]
  /** Alternative topics for each position; an empty list matches any topic. */
  readonly topics: readonly (readonly Hash[])[]
}

export interface LogQuery {
  readonly criteria: LogCriteria
  readonly range: { readonly from: BlockSelector; readonly to: BlockSelector } | { readonly blockHash: Hash }
}

const LATEST: BlockSelector = { kind: 'tag', tag: 'latest' }
const MAX_TOPICS = 4
const MAX_INDEX_WALKS = 256
/** Reading few headers is faster than reading the index. */
const SHORT_RANGE_BLOCKS = 128

export function parseLogCriteria(value: unknown, options: Pick<RpcOptions, 'maxFilterTerms'>): LogCriteria {
  const o = parseJsonObject(value, 'filter')
  const oneOrMany = <T>(entry: unknown, what: string, parse: (value: unknown, what: string) => T): T[] => {
    if (entry === undefined || entry === null) return []
    return Array.isArray(entry) ? parseJsonArray(entry, what, parse) : [parse(entry, what)]
  }
  const addresses = oneOrMany(o.address, 'address', parseAddress)
  const topics =
    o.topics === undefined || o.topics === null ? [] : parseJsonArray(o.topics, 'topics', (entry, at) => oneOrMany(entry, at, parseTopic))
  if (topics.length > MAX_TOPICS) throw rpcError('maxTopics')
  const terms = termCount({ addresses, topics })
  if (terms > options.maxFilterTerms)
    throw rpcError('maxFilterTerms', `: ${terms} addresses and topics, at most ${options.maxFilterTerms} in one query; split it`)
  return { addresses, topics: topics.map((alternatives) => (alternatives.includes(null) ? [] : (alternatives as Hash[]))) }
}

export function termCount({
  addresses,
  topics,
}: {
  readonly addresses: readonly unknown[]
  readonly topics: readonly (readonly unknown[])[]
}) {
  return topics.reduce((sum, alternatives) => sum + alternatives.length, addresses.length)
}

function parseTopic(value: unknown, what: string): Hash | null {
  return value === null ? null : parseHash(value, what)
}

export function parseLogQuery(value: unknown, options: RpcOptions): LogQuery {
  const criteria = parseLogCriteria(value, options)
  const { fromBlock, toBlock, blockHash } = parseJsonObject(value, 'filter')
  if (isGiven(blockHash)) {
    if (isGiven(fromBlock) || isGiven(toBlock)) throw rpcError('blockHashWithRange')
    return { criteria, range: { blockHash: parseHash(blockHash, 'blockHash') } }
  }
  const bound = (entry: unknown, what: string) => (isGiven(entry) ? parseBlockNumberOrTag(entry, what) : LATEST)
  const [from, to] = [bound(fromBlock, 'fromBlock'), bound(toBlock, 'toBlock')]
  if (from.kind === 'number' && to.kind === 'number' && from.number > to.number) throw rpcError('blockRange')
  return { criteria, range: { from, to } }
}

export function logQueryToJson({ criteria, range }: LogQuery): Json {
  const bound = (selector: BlockSelector) =>
    selector.kind === 'number' ? formatQuantity(selector.number) : selector.kind === 'tag' ? selector.tag : selector.hash
  return {
    address: criteria.addresses,
    topics: criteria.topics,
    ...('blockHash' in range ? { blockHash: range.blockHash } : { fromBlock: bound(range.from), toBlock: bound(range.to) }),
  }
}

interface LogMatcher {
  readonly addresses: ReadonlySet<Address>
  readonly topics: readonly ReadonlySet<Hash>[]
}

const matchers = new WeakMap<LogCriteria, LogMatcher>()

function matcherOf(criteria: LogCriteria): LogMatcher {
  let matcher = matchers.get(criteria)
  if (matcher === undefined) {
    matcher = { addresses: new Set(criteria.addresses), topics: criteria.topics.map((alternatives) => new Set(alternatives)) }
    matchers.set(criteria, matcher)
  }
  return matcher
}

export function matchesLog(log: Log, criteria: LogCriteria): boolean {
  const { addresses, topics } = matcherOf(criteria)
  if (addresses.size > 0 && !addresses.has(log.address)) return false
  return topics.every((alternatives, i) => {
    const topic = log.topics[i]
    return topic !== undefined && (alternatives.size === 0 || alternatives.has(topic))
  })
}

type BloomBits = readonly (readonly [byte: number, mask: number])[]

const BLOOM_BYTES = 256
const compiled = new WeakMap<LogCriteria, readonly (readonly BloomBits[])[]>()

/** A term sets three of the filter's 2048 bits. Yellow paper, section 4.3.1 */
function bloomBits(term: string): BloomBits {
  const hash = keccak256(hexToBytes(term))
  return [0, 2, 4].map((i) => {
    const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047
    return [BLOOM_BYTES - 1 - (bit >> 3), 1 << (bit & 7)] as const
  })
}

/** If false, no log of the block matches. */
export function bloomMayMatch(bloom: Uint8Array, criteria: LogCriteria): boolean {
  let positions = compiled.get(criteria)
  if (positions === undefined) {
    positions = [criteria.addresses, ...criteria.topics].filter((terms) => terms.length > 0).map((terms) => terms.map(bloomBits))
    compiled.set(criteria, positions)
  }
  return positions.every((terms) => terms.some((bits) => bits.every(([byte, mask]) => ((bloom[byte] as number) & mask) !== 0)))
}

export interface PlacedLog {
  readonly log: Log
  readonly transactionIndex: number
  readonly logIndex: number
}

export function* logsIn(chain: ChainReader, block: SealedHeader): Iterable<PlacedLog> {
  let logIndex = 0
  for (const [transactionIndex, { receipt }] of (chain.receipts(block.hash) ?? []).entries()) {
    for (const log of receipt.logs) yield { log, transactionIndex, logIndex: logIndex++ }
  }
}

export function placedLogToJson(
  chain: ChainReader,
  { hash, header }: SealedHeader,
  { log, transactionIndex, logIndex }: PlacedLog,
  removed: boolean,
): Json {
  const { number, timestampSec } = header
  const transactionHash = chain.transactionHash(hash, transactionIndex) as Hash
  return logToJson(log, { blockHash: hash, blockNumber: number, timestampSec, transactionHash, transactionIndex, logIndex, removed })
}

export function logsOfBlock(chain: ChainReader, block: SealedHeader, criteria: LogCriteria, removed: boolean): Json[] {
  if (!bloomMayMatch(block.header.logsBloom, criteria)) return []
  const found: Json[] = []
  for (const placed of logsIn(chain, block)) {
    if (matchesLog(placed.log, criteria)) found.push(placedLogToJson(chain, block, placed, removed))
  }
  return found
}

/** Throws -32602 for a range beyond the head, -32005 when the range or result is too large. */
export async function queryLogs(chain: ChainReader, query: LogQuery, options: RpcOptions, signal?: AbortSignal): Promise<Json[]> {
  const { criteria, range } = query
  if ('blockHash' in range) {
    const header = chain.header(range.blockHash)
    if (header === null) throw unknownBlock()
    return logsOfBlock(chain, { hash: range.blockHash, header }, criteria, false)
  }
  const head = chain.label('unsafe').header.number
  const numberOf = (selector: BlockSelector) => {
    if (selector.kind === 'number') return selector.number
    const found = findBlock(chain, selector)
    if (found === null) throw headerNotFound()
    return found.header.number
  }
  const from = numberOf(range.from)
  const to = numberOf(range.to)
  if (to < from) throw rpcError('blockRange')
  // An empty result for blocks that do not exist yet would make an indexer skip them.
  if (to > head) throw rpcError('blockRangeBeyondHead')
  const most = mostBlocks(chain, criteria, from, options)
  if (to - from + 1 > most) throw tooMuch('logRange', from, from + most - 1, most)
  const found: Json[] = []
  for await (const { number, logs } of scanLogs(chain, criteria, from, to, signal)) {
    if (found.length + logs.length > options.maxLogResults) {
      throw tooMuch('logResults', from, Math.max(from, number - 1), options.maxLogResults)
    }
    found.push(...logs)
  }
  return found
}

export function mostBlocks(chain: ChainReader, criteria: LogCriteria, from: number, options: RpcOptions): number {
  return isIndexed(chain, criteria, from)
    ? options.maxLogRangeBlocks
    : Math.min(options.maxLogRangeBlocks, options.maxUnindexedLogRangeBlocks)
}

function isIndexed(chain: ChainReader, criteria: LogCriteria, from: number): boolean {
  return criteria.addresses.length > 0 && from >= chain.logsIndexedFrom
}

export async function* scanLogs(
  chain: ChainReader,
  criteria: LogCriteria,
  from: number,
  to: number,
  signal?: AbortSignal,
): AsyncIterable<{ readonly number: number; readonly logs: readonly Json[] }> {
  const isShort = to - from < SHORT_RANGE_BLOCKS
  const indexed = !isShort && isIndexed(chain, criteria, from)
  const likely = isShort || (indexed && criteria.topics.slice(1).every((alternatives) => alternatives.length === 0))
  const takeTurn = createTurnTaker()
  const breathe = async (): Promise<void> => {
    const turn = takeTurn()
    if (turn === null) return
    await turn
    signal?.throwIfAborted()
  }
  for (const number of indexed ? await indexedBlocks(chain, criteria, { from, to }, breathe) : everyBlock(from, to)) {
    await breathe()
    const hash = chain.canonicalHash(number)
    if (hash === null || (!likely && !mayMatch(chain, hash, criteria))) continue
    const header = chain.header(hash)
    if (header === null) continue
    const logs = logsOfBlock(chain, { hash, header }, criteria, false)
    if (logs.length > 0) yield { number, logs }
  }
}

function mayMatch(chain: ChainReader, hash: Hash, criteria: LogCriteria): boolean {
  const bloom = chain.bloom(hash)
  return bloom !== null && bloomMayMatch(bloom, criteria)
}

function* everyBlock(from: number, to: number): Iterable<number> {
  for (let number = from; number <= to; number++) yield number
}

async function indexedBlocks(
  chain: ChainReader,
  { addresses, topics }: LogCriteria,
  { from, to }: { readonly from: number; readonly to: number },
  breathe: () => Promise<void>,
): Promise<readonly number[]> {
  const first = topics[0] ?? []
  // Many short index scans cost more than a few long ones.
  const firstTopics = first.length === 0 || first.length * addresses.length > MAX_INDEX_WALKS ? [null] : first
  const numbers = new Set<number>()
  for (const address of new Set(addresses)) {
    for (const topic of new Set(firstTopics)) {
      for await (const number of chain.blocksWithLogs(address, topic, from, to)) numbers.add(number)
      await breathe()
    }
  }
  return [...numbers].sort((a, b) => a - b)
}

/** Indexers parse the suggested range from the text, in decimal or hex. */
function tooMuch(name: 'logRange' | 'logResults', from: number, to: number, limit: number): RpcError {
  const range = { from: formatQuantity(from), to: formatQuantity(to) }
  const text = ` ${limit}, retry with the range ${from}-${to}; this block range should work: [${range.from}, ${range.to}]`
  return rpcError(name, text, { ...range, limit })
}
