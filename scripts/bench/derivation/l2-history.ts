/** Batches are brotli span batches in blobs on an in-memory L1. */
import { createForkSchedule, forksAtGenesis, genesisHeader, loadGenesis, type RollupConfig } from '@keelson/chainspec'
import { createAttributesBuilder, l2BlockRefOf } from '@keelson/derivation'
import {
  type Crypto,
  type ExecutionPayload,
  encodeSignedTransaction,
  type GenesisAccount,
  type Header,
  hashHeader,
  hexToBytes,
  type L1BlockRef,
  type L2BlockRef,
  l2Time,
  signingDigest,
  TX_FEE_MARKET,
  toAddress,
  ZERO_HASH,
} from '@keelson/primitives'
import { DEV_ACCOUNTS, type DevAccount } from '../../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { loadPrebuiltDevnet } from '../../../packages/devnet/src/genesis/devnet/prebuilt-devnet.ts'
import { createBatchSubmitter } from '../../../test/support/batch-submitter.ts'
import { createFakeL1, type FakeL1 } from '../../../test/support/fake-l1.ts'
import { makeRollupConfig } from '../../../test/support/rollup-config.ts'
import { openL2Node } from './l2-node.ts'

export interface L2Network {
  readonly config: RollupConfig
  readonly genesis: { readonly header: Header; readonly alloc: readonly GenesisAccount[] }
  readonly l1: FakeL1
}

export interface L2HistoryOptions {
  readonly blocks: number
  readonly l1BlockTimeSec: number
  readonly transactionEveryBlocks: number
  readonly blocksPerChannel: number
  readonly directory: string
  readonly crypto: Crypto
}

export interface L2History extends L2Network {
  readonly head: L2BlockRef
  readonly userTransactions: number
}

const GENESIS_TIME_SEC = 1_800_000_000
const BATCHER_KEY = new Uint8Array(32).fill(0xb1)
const USER_KEY = hexToBytes((DEV_ACCOUNTS[0] as DevAccount).privateKey)
const L1_BLOCKS_AFTER = 4
const FINALITY_L1_BLOCKS = 16

export async function makeL2History(options: L2HistoryOptions): Promise<L2History> {
  const { crypto } = options
  const network = openL2Network(options)
  const { config, l1 } = network
  const node = await openL2Node(network, options.directory, crypto)
  const attributes = createAttributesBuilder(config, l1.chain, { l1: l1.reader, l2: node.l2Source })
  const submitter = createBatchSubmitter(config, l1, BATCHER_KEY)
  let head = genesisRef(network)
  let waiting: ExecutionPayload[] = []
  let userTransactions = 0
  for (let i = 1; i <= options.blocks; i++) {
    l1.mineUntil(head.timestampSec + config.blockTimeSec)
    const forced = await attributes.build(head, originFor(l1, head, config))
    const own = i % options.transactionEveryBlocks === 0 ? [transfer(config, crypto, BigInt(userTransactions++))] : []
    const payload = await node.make(head.hash, { ...forced, transactions: [...forced.transactions, ...own] })
    head = l2BlockRefOf(payload, config.genesis)
    waiting.push(payload)
    if (waiting.length < options.blocksPerChannel && i < options.blocks) continue
    submitter.submit(waiting, { batches: 'span', compression: 'brotli', carrier: 'blobs' })
    waiting = []
  }
  l1.mine(L1_BLOCKS_AFTER)
  l1.setSafe(Math.max(0, l1.head.number - 1))
  l1.setFinalized(Math.max(0, l1.head.number - FINALITY_L1_BLOCKS))
  await node.close()
  return { ...network, head, userTransactions }
}

function genesisRef({ config: { genesis } }: L2Network): L2BlockRef {
  return { ...genesis.l2, parentHash: ZERO_HASH, timestampSec: l2Time(genesis.l2TimestampSec), l1Origin: genesis.l1, sequenceNumber: 0 }
}

/** Deterministic, so that another process can open the same network. */
export function openL2Network({ l1BlockTimeSec, crypto }: Pick<L2HistoryOptions, 'l1BlockTimeSec' | 'crypto'>): L2Network {
  const devnet = loadPrebuiltDevnet(GENESIS_TIME_SEC)
  const genesis = loadGenesis(JSON.parse(devnet.l2Json()))
  const forks = forksAtGenesis(devnet.parameters.fork)
  const rules = createForkSchedule({ times: forks }).blockRules(l2Time(GENESIS_TIME_SEC))
  const header = genesisHeader(genesis, devnet.l2StateRoot, devnet.messagePasserStorageRoot, rules)
  const l1 = createFakeL1({ genesisTimestampSec: GENESIS_TIME_SEC, blockTimeSec: l1BlockTimeSec })
  const config = makeRollupConfig({
    l1ChainId: l1.chain.chainId,
    l2ChainId: devnet.parameters.l2ChainId,
    l1Genesis: l1.genesis,
    l2Genesis: { hash: hashHeader(header), number: 0, timestampSec: GENESIS_TIME_SEC },
    batcher: toAddress(crypto.addressOf(BATCHER_KEY)),
    forks,
    gasLimit: genesis.gasLimit,
  })
  return { config, genesis: { header, alloc: genesis.accounts }, l1 }
}

function originFor(l1: FakeL1, parent: L2BlockRef, config: RollupConfig): L1BlockRef {
  const next = l1.block(parent.l1Origin.number + 1)
  if (next !== null && next.ref.timestampSec <= parent.timestampSec + config.blockTimeSec) return next.ref
  const same = l1.block(parent.l1Origin.hash)
  if (same === null) throw new Error(`L1 does not know ${parent.l1Origin.hash}`)
  return same.ref
}

function transfer(config: RollupConfig, crypto: Crypto, nonce: bigint): Uint8Array {
  const unsigned = {
    type: TX_FEE_MARKET,
    chainId: config.l2ChainId,
    nonce,
    gasLimit: 21_000n,
    to: crypto.addressOf(BATCHER_KEY),
    valueWei: 1_000n,
    data: new Uint8Array(0),
    accessList: [],
    maxPriorityFeePerGasWei: 1_000_000n,
    maxFeePerGasWei: 100_000_000_000n,
  } as const
  return encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), USER_KEY)).raw
}
