import { loadRollupConfig, type RollupConfig } from '@keelson/chainspec'
import { createAttributesBuilder, createDerivationPipeline, type L1Reader, l2BlockRefOf } from '@keelson/derivation'
import {
  bytesToHex,
  decodeSignedTransaction,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  type ExecutionPayload,
  type Hash,
  type Header,
  type Hex,
  hexToBytes,
  type L1BlockRef,
  type SignedTransaction,
  ZERO_ADDRESS,
} from '@keelson/primitives'
import { decompress } from '../../../packages/node/src/crypto/compression.ts'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { createFakeL1, type FakeL1Block } from '../../support/fake-l1.ts'
import { createPayloadLedger, genesisPayload } from '../../support/payload-ledger.ts'
import { showBytes, withoutPrefix } from './show.ts'

export interface ScriptL1Block {
  readonly hash: Hash
  readonly parentHash: Hash
  readonly number: number
  readonly timestamp: number
  readonly mixHash: Hash
  readonly baseFee: number
  readonly blobBaseFee: number
  readonly parentBeaconBlockRoot: Hash
  readonly transactions: readonly Hex[]
}

export interface Script {
  readonly rollup: Readonly<Record<string, unknown>>
  readonly l1: readonly ScriptL1Block[]
}

const crypto = createNativeCrypto()

/** The blocks have no blobs, so blob gas costs 1 wei. */
export function scriptBlockOf({ ref, header, transactions }: FakeL1Block): ScriptL1Block {
  return {
    hash: ref.hash,
    parentHash: ref.parentHash,
    number: ref.number,
    timestamp: ref.timestampSec,
    mixHash: header.mixHash,
    baseFee: Number(header.baseFeeWei),
    blobBaseFee: 1,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot as Hash,
    transactions: transactions.map(({ raw }) => bytesToHex(raw)),
  }
}

function headerOf(block: ScriptL1Block): Header {
  return {
    parentHash: block.parentHash,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number: block.number,
    gasLimit: 60_000_000n,
    gasUsed: 0n,
    timestampSec: block.timestamp,
    extraData: new Uint8Array(0),
    mixHash: block.mixHash,
    nonce: new Uint8Array(8),
    baseFeeWei: BigInt(block.baseFee),
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: block.parentBeaconBlockRoot,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
  }
}

const refOf = (block: ScriptL1Block): L1BlockRef => ({
  hash: block.hash,
  number: block.number,
  parentHash: block.parentHash,
  timestampSec: block.timestamp,
})

function readerOf(blocks: readonly ScriptL1Block[]): L1Reader {
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  const find = (at: string | number) =>
    (typeof at === 'number' ? blocks[at] : at.startsWith('0x') ? byHash.get(at as Hash) : blocks.at(-1)) ?? null
  const read = <T>(at: Hash, part: (block: ScriptL1Block) => T): T | null => {
    const block = find(at)
    return block === null ? null : part(block)
  }
  return {
    async blockRef(at) {
      const block = find(at)
      return block === null ? null : refOf(block)
    },
    header: async (hash) => read(hash, headerOf),
    transactions: async (hash) =>
      read(hash, (block) => block.transactions.map((raw): SignedTransaction => decodeSignedTransaction(hexToBytes(raw)))),
    receipts: async (hash) =>
      read(hash, (block) =>
        block.transactions.map((raw) => ({
          type: decodeSignedTransaction(hexToBytes(raw)).type,
          outcome: { status: 1 as const },
          cumulativeGasUsed: 0n,
          logsBloom: new Uint8Array(256),
          logs: [],
          depositNonce: null,
          depositReceiptVersion: null,
        })),
      ),
  }
}

export async function deriveScript(text: string): Promise<readonly string[]> {
  const script = JSON.parse(text) as Script
  const config: RollupConfig = loadRollupConfig(script.rollup)
  const genesis = genesisPayload(config.genesis.l2TimestampSec, config.genesis.systemConfig.gasLimit)
  const derived = createPayloadLedger(config, genesis)
  const l1 = readerOf(script.l1)
  const { chain } = createFakeL1({ genesisTimestampSec: 0, chainId: config.l1ChainId })
  const pipeline = createDerivationPipeline(config, {
    l1,
    blobs: { blobs: async () => [] },
    l2: derived,
    decompressor: { decompress },
    crypto,
    attributes: createAttributesBuilder(config, chain, { l1, l2: derived }),
  })
  pipeline.reset({ l1Origin: refOf(script.l1[0] as ScriptL1Block), systemConfig: config.genesis.systemConfig })
  const lines: string[] = []
  for (;;) {
    const result = await pipeline.step(l2BlockRefOf(derived.head, config.genesis))
    if (result.kind === 'awaiting-l1') return lines
    if (result.kind !== 'attributes') continue
    lines.push(describe(derived.append(result.derived.parent.hash, result.derived.attributes), config))
  }
}

function describe(payload: ExecutionPayload, config: RollupConfig): string {
  const { number, hash, timestampSec, l1Origin, sequenceNumber } = l2BlockRefOf(payload, config.genesis)
  const head = `${number} ${withoutPrefix(hash)} ${timestampSec} ${l1Origin.number} ${sequenceNumber}`
  return [head, ...payload.transactions.map(showBytes)].join(' ')
}
