/** The messages of the subblock stream, which are JSON texts. specs: protocol/subblocks.md#payload */
import {
  type Address,
  CodecError,
  decodeTransaction,
  formatData,
  formatQuantity,
  type Hash,
  isPostExec,
  type PayloadId,
  type PostExecTransaction,
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonInteger,
  parseJsonObject,
  parseOptional,
  parsePayloadId,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
  type Transaction,
  ZERO_HASH,
} from '@keelson/primitives'

/** Properties of the block that do not change while it is built. */
export interface SubblockBase {
  readonly parentHash: Hash
  readonly parentBeaconBlockRoot: Hash
  readonly feeRecipient: Address
  readonly prevRandao: Hash
  readonly number: number
  readonly gasLimit: bigint
  readonly timestampSec: number
  readonly extraData: Uint8Array
  readonly baseFeeWei: bigint
}

/** The amounts describe the whole block so far; the transactions are only the new ones. */
export interface Subblock {
  readonly payloadId: PayloadId
  readonly index: number
  /** Only in the first subblock of a block. */
  readonly base: SubblockBase | null
  readonly blockNumber: number
  readonly transactions: readonly Transaction[]
  readonly gasUsed: bigint
  readonly receiptsRoot: Hash
  readonly logsBloom: Uint8Array
  readonly blobGasUsed: bigint | null
  /** Refunds of the whole block so far. specs: protocol/lagoon/post-exec.md#subblocks */
  readonly postExec: PostExecTransaction | null
}

export interface SubblockMetadata {
  /** By address, in wei. */
  readonly balances: ReadonlyMap<string, bigint>
  /** JSON objects of `eth_getTransactionReceipt`, by transaction hash. */
  readonly receipts: ReadonlyMap<Hash, object>
}

export function encodeSubblock(subblock: Subblock, { balances, receipts }: SubblockMetadata): string {
  const { base, blobGasUsed, postExec } = subblock
  return JSON.stringify({
    payload_id: subblock.payloadId,
    index: subblock.index,
    ...(base === null ? {} : { base: baseToJson(base) }),
    diff: {
      state_root: ZERO_HASH,
      receipts_root: subblock.receiptsRoot,
      logs_bloom: formatData(subblock.logsBloom),
      gas_used: formatQuantity(subblock.gasUsed),
      block_hash: ZERO_HASH,
      transactions: subblock.transactions.map(({ raw }) => formatData(raw)),
      withdrawals: [],
      withdrawals_root: ZERO_HASH,
      ...(blobGasUsed === null ? {} : { blob_gas_used: formatQuantity(blobGasUsed) }),
      ...(postExec === null ? {} : { post_exec_tx: formatData(postExec.raw) }),
    },
    metadata: {
      block_number: subblock.blockNumber,
      new_account_balances: Object.fromEntries([...balances].map(([address, wei]) => [address, formatQuantity(wei)])),
      receipts: Object.fromEntries(receipts),
    },
  })
}

function baseToJson(base: SubblockBase): object {
  return {
    parent_beacon_block_root: base.parentBeaconBlockRoot,
    parent_hash: base.parentHash,
    fee_recipient: base.feeRecipient,
    prev_randao: base.prevRandao,
    block_number: formatQuantity(base.number),
    gas_limit: formatQuantity(base.gasLimit),
    timestamp: formatQuantity(base.timestampSec),
    extra_data: formatData(base.extraData),
    base_fee_per_gas: formatQuantity(base.baseFeeWei),
  }
}

/**
 * Reads what a follower needs. Balances and receipts are left out, because the follower executes the transactions itself. Throws
 * CodecError.
 */
export function decodeSubblock(text: string): Subblock {
  const o = parseJsonObject(parseJson(text), 'subblock')
  const diff = parseJsonObject(o.diff, 'diff')
  const metadata = parseJsonObject(o.metadata, 'metadata')
  return {
    payloadId: parsePayloadId(o.payload_id, 'payload_id'),
    index: parseJsonInteger(o.index, 'index'),
    base: parseOptional(o.base, 'base', parseBase),
    blockNumber: parseJsonInteger(metadata.block_number, 'metadata.block_number'),
    transactions: parseJsonArray(diff.transactions, 'diff.transactions', parseTransaction),
    gasUsed: parseQuantity64(diff.gas_used, 'diff.gas_used'),
    receiptsRoot: parseHash(diff.receipts_root, 'diff.receipts_root'),
    logsBloom: parseData(diff.logs_bloom, 'diff.logs_bloom', 256),
    blobGasUsed: parseOptional(diff.blob_gas_used, 'diff.blob_gas_used', parseQuantity64),
    postExec: parseOptional(diff.post_exec_tx, 'diff.post_exec_tx', parsePostExec),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CodecError('codec/json', `expected a JSON object, got ${JSON.stringify(text.slice(0, 40))}`)
  }
}

function parseBase(value: unknown, what: string): SubblockBase {
  const o = parseJsonObject(value, what)
  return {
    parentHash: parseHash(o.parent_hash, 'base.parent_hash'),
    parentBeaconBlockRoot: parseHash(o.parent_beacon_block_root, 'base.parent_beacon_block_root'),
    feeRecipient: parseAddress(o.fee_recipient, 'base.fee_recipient'),
    prevRandao: parseHash(o.prev_randao, 'base.prev_randao'),
    number: parseQuantityNumber(o.block_number, 'base.block_number'),
    gasLimit: parseQuantity64(o.gas_limit, 'base.gas_limit'),
    timestampSec: parseQuantityNumber(o.timestamp, 'base.timestamp'),
    extraData: parseData(o.extra_data, 'base.extra_data'),
    baseFeeWei: parseQuantity(o.base_fee_per_gas, 'base.base_fee_per_gas'),
  }
}

/** `diff.transactions` must not contain a post-execution transaction. specs: protocol/lagoon/post-exec.md#subblocks */
function parseTransaction(value: unknown, what: string): Transaction {
  const tx = decodeTransaction(parseData(value, what))
  if (isPostExec(tx)) throw new CodecError('codec/transaction', `${what}: a post-execution transaction belongs in diff.post_exec_tx`)
  return tx
}

function parsePostExec(value: unknown, what: string): PostExecTransaction {
  const tx = decodeTransaction(parseData(value, what))
  if (!isPostExec(tx)) throw new CodecError('codec/transaction', `${what}: expected a transaction of type 0x7d, got type ${tx.type}`)
  return tx
}
