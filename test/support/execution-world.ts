import {
  createForkSchedule,
  type ForkLimit,
  type ForkSchedule,
  type ForkScheduleOptions,
  type ForkTimes,
  forksAtGenesis,
  genesisHeader,
} from '@keelson/chainspec'
import { type EvmEngine, encodeExtraData } from '@keelson/evm'
import {
  createExecutionNode,
  DEFAULT_EXECUTION_OPTIONS,
  type ExecutionChain,
  type ExecutionNode,
  type ExecutionNodeOptions,
  opChainRules,
  type PeerToPeer,
  type ReadRunner,
  type SubblockParts,
  type SyncPeers,
  type UnlockedAccounts,
} from '@keelson/execution'
import {
  type Address,
  type Block,
  bigintToBytes,
  blockToPayload,
  bytesToHex,
  type Crypto,
  concatBytes,
  createPureCrypto,
  type EngineApi,
  encodeDeposit,
  encodeSignedTransaction,
  type GenesisAccount,
  type Hash,
  type Hex,
  hashHeader,
  hexToBytes,
  keccak256,
  L1_BLOCK,
  L1_INFO_DEPOSITOR,
  L2_TO_L1_MESSAGE_PASSER,
  type Logger,
  l1InfoSourceHash,
  l2Time,
  type PayloadAttributes,
  type PayloadEnvelope,
  SEQUENCER_FEE_VAULT,
  type SignedTransaction,
  signingDigest,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  toAddress,
  toHash,
  type UnsignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import {
  createManualClock,
  createMemoryStore,
  createMetrics,
  createSeededRandom,
  jsonValue,
  type KeyValueStore,
  type ManualClock,
  type Metrics,
} from '@keelson/runtime'
import { computeGenesisState } from '@keelson/state'
import { createTestEngine } from './test-engine.ts'

export interface ExecutionWorldOptions {
  readonly chainId?: bigint
  readonly forks?: ForkTimes
  readonly upgradeBundles?: ForkScheduleOptions['upgradeBundles']
  readonly limit?: ForkLimit | null
  readonly genesisTimestampSec?: number
  readonly genesisNumber?: number
  readonly gasLimit?: bigint
  readonly baseFeeWei?: bigint
  readonly alloc?: readonly GenesisAccount[]
  readonly clock?: ManualClock
  readonly store?: KeyValueStore
  readonly options?: Partial<ExecutionNodeOptions>
  readonly crypto?: Crypto
  readonly log?: Logger
  readonly unlocked?: UnlockedAccounts
  readonly syncPeers?: SyncPeers
  readonly syncMode?: 'full' | 'snap'
  readonly p2p?: PeerToPeer
  readonly subblocks?: SubblockParts
  readonly reads?: ReadRunner
  readonly metrics?: Metrics
  readonly wrapEngine?: (engine: EvmEngine) => EvmEngine
}

export interface TestAccount {
  readonly address: Address
  readonly privateKey: Uint8Array
}

export interface MineOptions {
  readonly parent?: Hash
  readonly timestampSec?: number
  readonly transactions?: readonly Uint8Array[]
  readonly noTxPool?: boolean
  readonly setHead?: boolean
  readonly prevRandao?: Hash
  readonly gasLimit?: bigint
}

export interface ExecutionWorld {
  readonly node: ExecutionNode
  readonly engine: EngineApi
  readonly clock: ManualClock
  readonly store: KeyValueStore
  readonly crypto: Crypto
  readonly chainId: bigint
  readonly chain: ExecutionChain
  readonly schedule: ForkSchedule
  readonly genesis: { readonly hash: Hash; readonly number: number; readonly timestampSec: number }
  readonly accounts: readonly TestAccount[]
  readonly l2Source: {
    payload(at: 'unsafe' | 'safe' | 'finalized' | number | Hash): Promise<PayloadEnvelope | null>
    messagePasserStorageRoot(block: Hash): Promise<Hash | null>
  }
  // biome-ignore lint/suspicious/noExplicitAny: a JSON answer of any shape, picked apart by the test
  call(method: string, ...params: readonly unknown[]): Promise<any>
  sign(from: number, tx: UnsignedTransaction): SignedTransaction
  transfer(
    from: number,
    to: Hex,
    valueWei: bigint,
    overrides?: { readonly nonce?: bigint; readonly tipWei?: bigint; readonly maxFeeWei?: bigint },
  ): SignedTransaction
  attributes(options?: MineOptions): PayloadAttributes
  mine(options?: MineOptions): Promise<Block>
  restart(): Promise<ExecutionWorld>
  stop(): Promise<void>
}

const ETHER = 10n ** 18n
const ignore = () => undefined
export const SILENT_LOG: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => SILENT_LOG }

export async function createExecutionWorld(options: ExecutionWorldOptions = {}): Promise<ExecutionWorld> {
  const chainId = options.chainId ?? 901n
  const genesisTimestampSec = options.genesisTimestampSec ?? 1_700_000_000
  const clock = options.clock ?? createManualClock(genesisTimestampSec * 1000)
  const store = options.store ?? createMemoryStore()
  const crypto = options.crypto ?? createPureCrypto()
  const schedule = createForkSchedule({
    times: options.forks ?? forksAtGenesis('jovian'),
    ...(options.upgradeBundles === undefined ? {} : { upgradeBundles: options.upgradeBundles }),
  })
  const accounts = testAccounts(crypto)
  const chain = worldChain({ ...options, chainId, genesisTimestampSec }, schedule, accounts)
  const genesis = { hash: hashHeader(chain.genesis.header), number: options.genesisNumber ?? 0, timestampSec: genesisTimestampSec }
  const node = await createExecutionNode(
    { ...DEFAULT_EXECUTION_OPTIONS, ...options.options },
    {
      chain,
      store,
      clock,
      crypto,
      random: createSeededRandom(1),
      log: options.log ?? SILENT_LOG,
      metrics: options.metrics ?? createMetrics('execution'),
      ...(options.subblocks === undefined ? {} : { subblocks: options.subblocks }),
      ...(options.reads === undefined ? {} : { reads: options.reads }),
      ...(options.unlocked === undefined ? {} : { unlocked: options.unlocked }),
      ...(options.syncPeers === undefined ? {} : { syncPeers: options.syncPeers }),
      ...(options.syncMode === undefined ? {} : { syncMode: options.syncMode }),
      ...(options.p2p === undefined ? {} : { p2p: options.p2p }),
      evm: (options.wrapEngine ?? ((engine) => engine))(createTestEngine({ crypto })),
    },
  )
  await node.start(new AbortController().signal)

  const call: ExecutionWorld['call'] = async (method, ...params) => {
    const handler = node.methods[method]
    if (handler === undefined) throw new Error(`no method ${method}`)
    const result = jsonValue(await handler(params, { signal: new AbortController().signal, transport: 'http' }))
    return JSON.parse(JSON.stringify(result ?? null))
  }
  const sign = (from: number, tx: UnsignedTransaction) =>
    encodeSignedTransaction(tx, crypto.sign(signingDigest(tx), (accounts[from] as TestAccount).privateKey))

  const envelope = (hash: Hash | null): PayloadEnvelope | null => {
    const block = hash === null ? null : node.chain.block(hash)
    if (block === null) return null
    return blockToPayload(block, schedule.blockRules(l2Time(block.header.timestampSec)).withdrawals === 'storage-root')
  }

  const attributes: ExecutionWorld['attributes'] = (mine = {}) => {
    const parent = mine.parent === undefined ? node.chain.label('unsafe').header : node.chain.header(mine.parent)
    if (parent === null) throw new Error(`there is no block ${mine.parent}`)
    const timestampSec = mine.timestampSec ?? parent.timestampSec + 2
    const rules = schedule.blockRules(l2Time(timestampSec))
    return {
      timestampSec,
      prevRandao: mine.prevRandao ?? ZERO_HASH,
      feeRecipient: SEQUENCER_FEE_VAULT,
      withdrawals: rules.withdrawals === 'absent' ? null : [],
      parentBeaconBlockRoot: rules.parentBeaconRoot ? ZERO_HASH : null,
      transactions: [l1InfoDeposit(parent.number + 1), ...(mine.transactions ?? [])],
      noTxPool: mine.noTxPool ?? false,
      gasLimit: mine.gasLimit ?? parent.gasLimit,
      eip1559Params: rules.extraDataVersion === null ? null : new Uint8Array(8),
      minBaseFeeWei: rules.minBaseFee ? 0n : null,
    }
  }

  const world: ExecutionWorld = {
    node,
    engine: node.engine,
    clock,
    store,
    crypto,
    chainId,
    chain,
    schedule,
    genesis,
    accounts,
    l2Source: {
      async payload(at) {
        if (typeof at === 'number') return envelope(node.chain.canonicalHash(at))
        return envelope(at === 'unsafe' || at === 'safe' || at === 'finalized' ? node.chain.label(at).hash : at)
      },
      async messagePasserStorageRoot(block) {
        const proof = await call('eth_getProof', L2_TO_L1_MESSAGE_PASSER, [], block)
        return toHash(proof.storageHash)
      },
    },
    call,
    sign,
    transfer(from, to, valueWei, overrides = {}) {
      const sender = accounts[from] as TestAccount
      const nonce = overrides.nonce ?? node.pool.nextNonce(sender.address) ?? stateNonce(node, sender)
      const tip = overrides.tipWei ?? 1_000_000_000n
      return sign(from, {
        type: TX_FEE_MARKET,
        chainId,
        nonce,
        gasLimit: 21_000n,
        to: hexToBytes(to),
        valueWei,
        data: new Uint8Array(0),
        accessList: [],
        maxPriorityFeePerGasWei: tip,
        maxFeePerGasWei: overrides.maxFeeWei ?? 10_000_000_000n + tip,
      })
    },
    attributes,
    async mine(mine = {}) {
      const parent = mine.parent ?? node.chain.label('unsafe').hash
      const wanted = attributes(mine)
      if (clock.nowMs() < wanted.timestampSec * 1000) await clock.advanceTo(wanted.timestampSec * 1000)
      const zero = { safe: ZERO_HASH, finalized: ZERO_HASH }
      const started = await node.engine.forkchoiceUpdated({ head: parent, ...zero }, wanted)
      if (started.payloadId === null) throw new Error(`building failed: ${JSON.stringify(started)}`)
      const built = await node.engine.getPayload(started.payloadId)
      const status = await node.engine.newPayload(built.payload, built.parentBeaconBlockRoot)
      if (status.status !== 'VALID') throw new Error(`own block refused: ${JSON.stringify(status)}`)
      if (mine.setHead !== false) await node.engine.forkchoiceUpdated({ head: built.payload.blockHash, ...zero }, null)
      return node.chain.block(built.payload.blockHash) as Block
    },
    async restart() {
      return createExecutionWorld({ ...options, clock, store })
    },
    stop: () => node.stop(),
  }
  return world
}

function testAccounts(crypto: Crypto): TestAccount[] {
  return Array.from({ length: 10 }, (_, i) => {
    const privateKey = keccak256(new TextEncoder().encode(`keelson test account ${i}`))
    return { privateKey, address: toAddress(crypto.addressOf(privateKey)) }
  })
}

function worldChain(
  options: ExecutionWorldOptions & { readonly chainId: bigint; readonly genesisTimestampSec: number },
  schedule: ForkSchedule,
  accounts: readonly TestAccount[],
): ExecutionChain {
  const own: GenesisAccount[] = [
    ...accounts.map(({ address }) => ({ address, nonce: 0n, balanceWei: 1_000n * ETHER, code: new Uint8Array(0), storage: [] })),
    l1BlockAccount(),
    { address: L2_TO_L1_MESSAGE_PASSER, nonce: 1n, balanceWei: 0n, code: Uint8Array.of(0), storage: [] },
  ]
  const alloc = [...new Map([...own, ...(options.alloc ?? [])].map((account) => [account.address, account])).values()]
  const state = computeGenesisState(alloc)
  const rules = schedule.blockRules(l2Time(options.genesisTimestampSec))
  const genesis = {
    chainConfig: null,
    accounts: alloc,
    number: options.genesisNumber ?? 0,
    parentHash: ZERO_HASH,
    timestampSec: options.genesisTimestampSec,
    extraData: encodeExtraData(rules, new Uint8Array(8), 0n),
    gasLimit: options.gasLimit ?? 30_000_000n,
    gasUsed: 0n,
    difficulty: 0n,
    mixHash: ZERO_HASH,
    feeRecipient: SEQUENCER_FEE_VAULT,
    nonce: new Uint8Array(8),
    baseFeeWei: options.baseFeeWei ?? 1_000_000_000n,
    blobGasUsed: null,
    excessBlobGas: null,
  }
  const header = genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), rules)
  return { chainId: options.chainId, rules: opChainRules(schedule, options.limit ?? null), genesis: { header, alloc } }
}

function l1BlockAccount(): GenesisAccount {
  const word = (value: bigint) => bigintToBytes(value, 32)
  const scalars = concatBytes(new Uint8Array(16), bigintToBytes(1_368n, 4), bigintToBytes(810_949n, 4), new Uint8Array(8))
  const operator = concatBytes(new Uint8Array(18), bigintToBytes(400n, 2), new Uint8Array(12))
  return {
    address: L1_BLOCK,
    nonce: 1n,
    balanceWei: 0n,
    code: Uint8Array.of(0),
    storage: [
      [word(1n), word(1_000_000_000n)],
      [word(3n), scalars],
      [word(7n), word(1n)],
      [word(8n), operator],
    ],
  }
}

function l1InfoDeposit(number: number): Uint8Array {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: l1InfoSourceHash(ZERO_HASH, number),
    from: hexToBytes(L1_INFO_DEPOSITOR),
    to: hexToBytes(L1_BLOCK),
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: 1_000_000n,
    isSystemTx: false,
    data: new Uint8Array(0),
  }).raw
}

function stateNonce(node: ExecutionNode, account: TestAccount): bigint {
  const count = node.methods.eth_getTransactionCount?.([bytesToHex(hexToBytes(account.address)), 'latest'], {
    signal: new AbortController().signal,
    transport: 'http',
  })
  return BigInt(count as string)
}
