/** Uses nothing of Node.js, because a browser runs it. */
import { createForkSchedule, FORKS, type ForkSchedule, type ForkTimes } from '@keelson/chainspec'
import {
  type BlockResult,
  type EvmEngine,
  encodeExtraData,
  executeBlock,
  type HeaderSkeleton,
  nextBaseFeeWei,
  validateHeader,
  verifyExecution,
} from '@keelson/evm'
import {
  type Bytes20,
  type Crypto,
  decodeTransaction,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeReceipt,
  type Header,
  hashHeader,
  hexToBytes,
  l2Time,
  orderedListRoot,
  parsePayloadAttributesJson,
  parseUncheckedHeaderJson,
  recoverSender,
  type Transaction,
  toHash,
} from '@keelson/primitives'
import { createWitnessState } from '@keelson/state'

export interface OpBlockVector {
  readonly rollupConfig: Readonly<Record<string, unknown>>
  readonly parentHash: string
  readonly parentHeader: unknown
  readonly payloadAttributes: unknown
  readonly witness: Readonly<Record<string, string>>
}

export interface ExecutedOpBlock {
  readonly header: Header
  readonly transactions: readonly Transaction[]
  readonly result: BlockResult
}

/** Throws if the block breaks a rule or the parent's hash is wrong. */
export async function executeOpBlock(vector: OpBlockVector, engine: EvmEngine, crypto: Crypto): Promise<ExecutedOpBlock> {
  const parent = parseUncheckedHeaderJson(vector.parentHeader)
  if (hashHeader(parent) !== vector.parentHash) throw new Error(`the parent hashes to ${hashHeader(parent)}, not to ${vector.parentHash}`)
  const attributes = parsePayloadAttributesJson(vector.payloadAttributes)
  const forks = schedule(vector.rollupConfig)
  const rules = forks.blockRules(l2Time(attributes.timestampSec))
  const witness = createWitnessState(
    new Map(Object.entries(vector.witness).map(([hash, preimage]) => [hash, hexToBytes(preimage)])),
    hexToBytes(parent.stateRoot),
  )
  const skeleton: HeaderSkeleton = {
    parentHash: toHash(vector.parentHash),
    number: parent.number + 1,
    timestampSec: attributes.timestampSec,
    gasLimit: attributes.gasLimit,
    baseFeeWei: nextBaseFeeWei(parent, rules),
    feeRecipient: attributes.feeRecipient,
    mixHash: attributes.prevRandao,
    difficulty: 0n,
    parentBeaconBlockRoot: attributes.parentBeaconBlockRoot,
    excessBlobGas: 0n,
  }
  const transactions = attributes.transactions.map(decodeTransaction)
  const done = executeBlock({
    engine,
    view: witness.view,
    header: skeleton,
    rules,
    transition: forks.transition(l2Time(parent.timestampSec), l2Time(attributes.timestampSec)),
    chainId: BigInt(vector.rollupConfig.l2_chain_id as number),
    crypto,
    blockHash: () => null,
    transactions,
    senders: transactions.map((tx) => recoverSender(tx, crypto) as Bytes20),
  })
  if (done.kind === 'invalid') throw new Error(done.message)
  const { result } = done
  const header: Header = {
    ...skeleton,
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot: toHash(witness.rootOf(result.diff).root),
    transactionsRoot: orderedListRoot(attributes.transactions),
    receiptsRoot: orderedListRoot(result.receipts.map(encodeReceipt)),
    logsBloom: result.logsBloom,
    gasUsed: result.gasUsed,
    extraData: encodeExtraData(rules, attributes.eip1559Params, attributes.minBaseFeeWei),
    nonce: new Uint8Array(8),
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: result.blobGasUsed,
    requestsHash: result.requestsHash,
    blockAccessListHash: null,
    slotNumber: null,
  }
  const problem = validateHeader(header, parent, rules) ?? verifyExecution(header, result)
  if (problem !== null) throw new Error(problem.message)
  return { header, transactions, result }
}

function schedule(config: OpBlockVector['rollupConfig']): ForkSchedule {
  const times = Object.fromEntries(FORKS.map((fork) => [fork, config[`${fork}_time`] ?? null]))
  return createForkSchedule({ times: { ...times, regolith: 0 } as ForkTimes })
}
