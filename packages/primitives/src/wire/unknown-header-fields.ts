import { PROBABLY_A_FORK } from './probably-a-fork.ts'

/** Fields of execution-apis src/schemas/block.yaml, and totalDifficulty, which nodes sent until 2025. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
  'hash',
  'size',
  'totalDifficulty',
  'transactions',
  'uncles',
  'withdrawals',
])
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/
const MOST_NAMED = 4

/** Names at most four, because the other node chooses them. */
export function describeUnknownFields(keys: readonly string[]): string | null {
  const unknown = keys.filter((key) => !KNOWN_FIELDS.has(key))
  if (unknown.length === 0) return null
  const named = unknown.filter((key) => FIELD_NAME.test(key)).slice(0, MOST_NAMED)
  const names = named.length < unknown.length ? [...named, '...'] : named
  return `the answer has fields that this release does not know (${names.join(', ')}): ${PROBABLY_A_FORK}`
}
