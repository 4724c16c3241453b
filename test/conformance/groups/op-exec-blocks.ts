import assert from 'node:assert/strict'
import { createForkSchedule, FORKS, type ForkSchedule, type ForkTimes } from '@keelson/chainspec'
import {
  type ExecuteBlockResult,
  encodeExtraData,
  executeBlock,
  type HeaderSkeleton,
  nextBaseFeeWei,
  validateHeader,
  verifyExecution,
} from '@keelson/evm'
import {
  type Bytes20,
  bytesToHex,
  createPureCrypto,
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
import { pairingCurves } from '../../support/pairing-curves.ts'
import { createTestEngine } from '../../support/test-engine.ts'
import type { ConformanceGroup } from '../group.ts'
import { type ExpectedReceipt, executedReceipt, statedReceipt } from './op-exec-receipts.ts'

interface BlockVector {
  readonly rollupConfig: Readonly<Record<string, unknown>>
  readonly parentHash: string
  readonly parentHeader: unknown
  readonly payloadAttributes: unknown
  readonly expectedBlockHash: string
  readonly derivedExpected: { readonly header: unknown; readonly receipts: readonly ExpectedReceipt[] }
  readonly witness: Readonly<Record<string, string>>
}

const FOLDER = 'op-exec-blocks/'

function schedule(config: BlockVector['rollupConfig']): ForkSchedule {
  const times = Object.fromEntries(FORKS.map((fork) => [fork, config[`${fork}_time`] ?? null]))
  return createForkSchedule({ times: { ...times, regolith: 0 } as ForkTimes })
}

async function run(vector: BlockVector): Promise<void> {
  const crypto = createPureCrypto()
  const parent = parseUncheckedHeaderJson(vector.parentHeader)
  assert.equal(hashHeader(parent), vector.parentHash)
  const attributes = parsePayloadAttributesJson(vector.payloadAttributes)
  const forks = schedule(vector.rollupConfig)
  const rules = forks.blockRules(l2Time(attributes.timestampSec))
  const witness = createWitnessState(
    new Map(Object.entries(vector.witness).map(([hash, preimage]) => [hash, hexToBytes(preimage)])),
    hexToBytes(parent.stateRoot),
  )
  const header: HeaderSkeleton = {
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
  const done: ExecuteBlockResult = await executeBlock({
    engine: createTestEngine({ crypto, curves: pairingCurves }),
    view: witness.view,
    header,
    rules,
    transition: forks.transition(l2Time(parent.timestampSec), l2Time(attributes.timestampSec)),
    chainId: BigInt(vector.rollupConfig.l2_chain_id as number),
    crypto,
    blockHash: () => null,
    transactions,
    senders: transactions.map((tx) => recoverSender(tx, crypto) as Bytes20),
  })
  assert.ok(done.kind === 'executed', done.kind === 'invalid' ? done.message : '')
  const { result } = done
  assert.deepEqual(
    result.transactions.map((done, i) => executedReceipt(transactions[i] as Transaction, done)),
    vector.derivedExpected.receipts.map(statedReceipt),
  )
  const sealed: Header = {
    ...header,
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
  assert.equal(validateHeader(sealed, parent, rules)?.message ?? null, null)
  assert.equal(verifyExecution(sealed, result)?.message ?? null, null)
  assert.deepEqual(sealed, parseUncheckedHeaderJson(vector.derivedExpected.header))
  assert.equal(hashHeader(sealed), vector.expectedBlockHash, `state root ${bytesToHex(witness.rootOf(result.diff).root)}`)
}

export const opExecBlocks: ConformanceGroup = {
  name: 'op-exec-blocks',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json(\.gz)?$/), (path) => [
      { id: path.slice(FOLDER.length).replace(/\.json(\.gz)?$/, ''), run: () => run(folder.json<BlockVector>(path)) },
    ]),
}
