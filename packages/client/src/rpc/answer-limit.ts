/**
 * Limits on a node's answer, derived from gas. Bytes are limited while reading; structure is limited before parsing, because
 * parsing a few megabytes of `{},` blocks a thread for seconds.
 */

export interface AnswerLimit {
  readonly maxBytes: number
  /** Number of commas, colons and opening brackets. */
  readonly maxStructure: number
}

const KIB = 1024
const MIB = 1024 * KIB
/** Upper bounds, also used when the gas is unknown. */
const MAX_BYTES = 128 * MIB
const MAX_STRUCTURE = 4_000_000
/** Higher than any known chain's gas limit. */
const MAX_GAS_LIMIT = 1_000_000_000n
/** Minimum gas of a transaction (EIP-2780), and the bytes of its hash in a JSON list. */
const TX_GAS = 12_000
const HASH_BYTES = 70
/** Allows for header fields, ommers and 16 withdrawals, or receipts' bloom filters. */
const FIXED: AnswerLimit = { maxBytes: 256 * KIB, maxStructure: 2_048 }
/**
 * Highest ratios: call data needs 4 gas for a zero byte (two hex digits). A transaction of 12,000 gas has a structure of about
 * 40, an access list's address (2,400 gas) 6.
 */
const BLOCK_BYTES_PER_GAS = 0.75
const BLOCK_GAS_PER_STRUCTURE = 300
/**
 * An empty log (375 gas) has about 560 bytes and 24 of structure; a byte of log data (8 gas) has two digits, a topic (375 gas) 69
 * bytes.
 */
const RECEIPTS_BYTES_PER_GAS = 1.75
const RECEIPTS_GAS_PER_STRUCTURE = 14
/**
 * Executed gas per `gasUsed`: at most a fifth is refunded (EIP-3529). From Amsterdam refunds no longer count (EIP-7778), and a
 * transfer's log (EIP-7708) costs more gas than an empty log.
 */
const GAS_PER_GAS_USED = 1.25

function limit(maxBytes: number, maxStructure: number): AnswerLimit {
  return { maxBytes: Math.min(MAX_BYTES, Math.ceil(maxBytes)), maxStructure: Math.min(MAX_STRUCTURE, Math.ceil(maxStructure)) }
}

export const HEADER_LIMIT = limit(
  FIXED.maxBytes + (Number(MAX_GAS_LIMIT) / TX_GAS) * HASH_BYTES,
  FIXED.maxStructure + Number(MAX_GAS_LIMIT) / TX_GAS,
)

export function blockLimit(gasLimit: bigint = MAX_GAS_LIMIT): AnswerLimit {
  const gas = Number(gasLimit)
  return limit(FIXED.maxBytes + gas * BLOCK_BYTES_PER_GAS, FIXED.maxStructure + gas / BLOCK_GAS_PER_STRUCTURE)
}

/** Limit for all receipts of a block, requested together or one by one. */
export function receiptsLimit({ gasLimit, gasUsed }: { readonly gasLimit: bigint; readonly gasUsed: bigint }): AnswerLimit {
  const gas = Math.min(Number(gasLimit), Number(gasUsed) * GAS_PER_GAS_USED)
  return limit(FIXED.maxBytes + gas * RECEIPTS_BYTES_PER_GAS, FIXED.maxStructure + gas / RECEIPTS_GAS_PER_STRUCTURE)
}

const ANY = limit(MAX_BYTES, MAX_STRUCTURE)
const SCALAR = limit(256 * KIB, 4_096)

const LIMITS: Readonly<Record<string, AnswerLimit>> = {
  eth_getBlockReceipts: ANY,
  eth_getTransactionReceipt: ANY,
  // A transaction may have call data for 2^24 gas (EIP-7825), or blob sidecars.
  eth_getTransactionByHash: limit(16 * MIB, 200_000),
  eth_getRawTransactionByHash: limit(16 * MIB, 64),
  // About 20,000 logs; the caller retries with a shorter range.
  eth_getLogs: limit(32 * MIB, 1_000_000),
  eth_getProof: limit(8 * MIB, 65_536),
  eth_call: limit(8 * MIB, 1_024),
  eth_getCode: limit(MIB, 64),
}
const SCALARS = new Set([
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
  'eth_subscribe',
  'eth_syncing',
  'net_version',
  'web3_clientVersion',
])

/** Unlisted methods get the maximum: only trusted nodes serve them. */
export function answerLimitOf(method: string, params: readonly unknown[]): AnswerLimit {
  if (method === 'eth_getBlockByHash' || method === 'eth_getBlockByNumber') return params[1] === true ? blockLimit() : HEADER_LIMIT
  return LIMITS[method] ?? (SCALARS.has(method) ? SCALAR : ANY)
}

export function sumOfLimits(limits: readonly AnswerLimit[]): AnswerLimit {
  return limit(
    limits.reduce((sum, { maxBytes }) => sum + maxBytes, 0),
    limits.reduce((sum, { maxStructure }) => sum + maxStructure, 0),
  )
}
