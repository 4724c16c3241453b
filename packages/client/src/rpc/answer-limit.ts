/**
 * How large a node's answer may be: in bytes, while it comes in, and in structure, before it is parsed, because a few
 * megabytes of `{},` take a thread for seconds. The bounds follow from what a block can hold for its gas.
 */

export interface AnswerLimit {
  readonly maxBytes: number
  /** Commas, colons and opening brackets. */
  readonly maxStructure: number
}

const KIB = 1024
const MIB = 1024 * KIB
/** Of other nodes' whole answers, when nothing says how much gas they cover. */
const MAX_BYTES = 128 * MIB
const MAX_STRUCTURE = 4_000_000
/** Gas limits above this one are not expected of any chain. */
const MAX_GAS_LIMIT = 1_000_000_000n
/** The least that a transaction takes (21,000 gas) lists it with 70 bytes: `"0x` and 32 bytes of hash in hex, `",`. */
const TX_GAS = 21_000
const HASH_BYTES = 70
/** Beside transactions: header fields, ommers, 16 withdrawals; receipts have bloom filters instead. */
const FIXED: AnswerLimit = { maxBytes: 256 * KIB, maxStructure: 2_048 }
/**
 * Of a whole block in JSON. A zero byte of call data (4 gas, two digits) is the cheapest text, 0.5 bytes for each gas.
 * Structure: a transaction has about 50 for 21,000 gas, an address in an access list 6 for 2,400.
 */
const BLOCK_BYTES_PER_GAS = 0.75
const BLOCK_GAS_PER_STRUCTURE = 300
/**
 * Of receipts in JSON. An empty log (375 gas) has about 560 bytes and 24 of structure; a byte of log data (8 gas) two
 * digits, a topic (375 gas) 69 bytes.
 */
const RECEIPTS_BYTES_PER_GAS = 1.75
const RECEIPTS_GAS_PER_STRUCTURE = 14
/** At most a fifth of the gas is refunded and missing from `gasUsed` (EIP-3529). */
const GAS_PER_GAS_USED = 1.25

function limit(maxBytes: number, maxStructure: number): AnswerLimit {
  return { maxBytes: Math.min(MAX_BYTES, Math.ceil(maxBytes)), maxStructure: Math.min(MAX_STRUCTURE, Math.ceil(maxStructure)) }
}

/** A header with the hashes of its transactions. */
export const HEADER_LIMIT = limit(
  FIXED.maxBytes + (Number(MAX_GAS_LIMIT) / TX_GAS) * HASH_BYTES,
  FIXED.maxStructure + Number(MAX_GAS_LIMIT) / TX_GAS,
)

/** A block with its transactions. */
export function blockLimit(gasLimit: bigint = MAX_GAS_LIMIT): AnswerLimit {
  const gas = Number(gasLimit)
  return limit(FIXED.maxBytes + gas * BLOCK_BYTES_PER_GAS, FIXED.maxStructure + gas / BLOCK_GAS_PER_STRUCTURE)
}

/** The receipts of a block, all of them together also when they are asked for one by one. */
export function receiptsLimit({ gasLimit, gasUsed }: { readonly gasLimit: bigint; readonly gasUsed: bigint }): AnswerLimit {
  const gas = Math.min(Number(gasLimit), Number(gasUsed) * GAS_PER_GAS_USED)
  return limit(FIXED.maxBytes + gas * RECEIPTS_BYTES_PER_GAS, FIXED.maxStructure + gas / RECEIPTS_GAS_PER_STRUCTURE)
}

const ANY = limit(MAX_BYTES, MAX_STRUCTURE)
/** One number, hash or short list. */
const SCALAR = limit(256 * KIB, 4_096)

const LIMITS: Readonly<Record<string, AnswerLimit>> = {
  eth_getBlockReceipts: ANY,
  eth_getTransactionReceipt: ANY,
  // call data of a transaction of 2^24 gas (EIP-7825), or blobs beside it
  eth_getTransactionByHash: limit(16 * MIB, 200_000),
  eth_getRawTransactionByHash: limit(16 * MIB, 64),
  // some 20,000 logs of usual size; whoever asks for more gets an error and asks for a shorter range
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

/** Of a call whose caller knows no closer bound. Methods of other namespaces are those of nodes of our own. */
export function answerLimitOf(method: string, params: readonly unknown[]): AnswerLimit {
  if (method === 'eth_getBlockByHash' || method === 'eth_getBlockByNumber') return params[1] === true ? blockLimit() : HEADER_LIMIT
  return LIMITS[method] ?? (SCALARS.has(method) ? SCALAR : ANY)
}

/** Of several answers in one. */
export function sumOfLimits(limits: readonly AnswerLimit[]): AnswerLimit {
  return limit(
    limits.reduce((sum, { maxBytes }) => sum + maxBytes, 0),
    limits.reduce((sum, { maxStructure }) => sum + maxStructure, 0),
  )
}
