/** An index of our execution client's chain, over real JSON-RPC. */
import { createHttpRpcClient, type RpcClient } from '@keelson/client'
import { addressWord, encodeParameters, eventTopic, MESSAGE_PASSED_TOPIC, withdrawalHash } from '@keelson/contracts'
import {
  type Address,
  type Block,
  bytesToHex,
  type Hash,
  type Hex,
  hexToBytes,
  L2_TO_L1_MESSAGE_PASSER,
  TX_FEE_MARKET,
  toAddress,
} from '@keelson/primitives'
import { createMetrics, createSeededRandom, createSilentLogger, createSystemClock } from '@keelson/runtime'
import type { IndexedChain } from '../../../packages/apps/src/index/chain/ports.ts'
import { createRpcChain } from '../../../packages/apps/src/index/chain/rpc-chain.ts'
import { createFollower, type Follower } from '../../../packages/apps/src/index/follow/follower.ts'
import { type BlockStore, createBlockStore } from '../../../packages/apps/src/index/storage/block-store.ts'
import type { Database } from '../../../packages/apps/src/index/storage/database.ts'
import { prepareDatabase } from '../../../packages/apps/src/index/storage/migrate.ts'
import { serveMethods } from '../execution-rpc-world.ts'
import { createExecutionWorld, type ExecutionWorld, type TestAccount } from '../execution-world.ts'

/** Emit a log with three or four topics from the first words of the call data, and the rest as its data. */
export const EMITTER = toAddress('0x00000000000000000000000000000000000ec003')
export const EMITTER_OF_FOUR = toAddress('0x00000000000000000000000000000000000ec004')
const EMITTER_CODE = hexToBytes('0x6060360380 60605f37 604035 602035 5f35 83 5f a3 00'.replaceAll(' ', ''))
const EMITTER_OF_FOUR_CODE = hexToBytes('0x6080360380 60805f37 606035 604035 602035 5f35 84 5f a4 00'.replaceAll(' ', ''))

const TRANSFER = eventTopic('Transfer(address,address,uint256)')

export interface IndexedWorld {
  readonly execution: ExecutionWorld
  readonly rpc: RpcClient
  readonly chain: IndexedChain
  /** Mines a block on `parent`, by default the head, and makes it the head. */
  mine(sends: readonly Send[], parent?: Hash): Promise<Block>
  stop(): Promise<void>
}

export interface Send {
  readonly from: number
  /** Null creates a contract. */
  readonly to: Address | null
  readonly data?: Hex
  readonly valueWei?: bigint
}

export const contract = (address: Address, code: Uint8Array) => ({ address, nonce: 1n, balanceWei: 0n, code, storage: [] })

export async function openIndexedWorld(others: readonly ReturnType<typeof contract>[] = []): Promise<IndexedWorld> {
  const four = [EMITTER_OF_FOUR, L2_TO_L1_MESSAGE_PASSER].map((address) => contract(address, EMITTER_OF_FOUR_CODE))
  const alloc = [contract(EMITTER, EMITTER_CODE), ...four, ...others]
  const execution = await createExecutionWorld({ alloc })
  const server = await serveMethods(execution.node.methods)
  const rpc = createHttpRpcClient(
    { url: server.httpUrl },
    { clock: createSystemClock(), random: createSeededRandom(1), log: createSilentLogger() },
  )
  return {
    execution,
    rpc,
    chain: createRpcChain(rpc),
    async mine(sends, parent = execution.node.chain.label('unsafe').hash) {
      const nonces = new Map<number, bigint>()
      for (const { from } of sends) {
        const address = (execution.accounts[from] as TestAccount).address
        nonces.set(from, BigInt(await execution.call('eth_getTransactionCount', address, { blockHash: parent })))
      }
      const transactions = sends.map(({ from, to, data = '0x', valueWei = 0n }) => {
        const nonce = nonces.get(from) as bigint
        nonces.set(from, nonce + 1n)
        const fees = { maxPriorityFeePerGasWei: 1n, maxFeePerGasWei: 5_000_000_000n }
        const call = { nonce, gasLimit: 500_000n, to: to === null ? null : hexToBytes(to), valueWei, data: hexToBytes(data) }
        return execution.sign(from, { type: TX_FEE_MARKET, chainId: execution.chainId, accessList: [], ...call, ...fees }).raw
      })
      return execution.mine({ parent, transactions, noTxPool: true })
    },
    async stop() {
      rpc.close()
      await server.stop()
      await execution.stop()
    },
  }
}

export function transfer20(from: number, sender: Address, recipient: Address, amount: bigint): Send {
  return { from, to: EMITTER, data: emitted([TRANSFER, addressWord(sender), addressWord(recipient)], uint(amount)) }
}

export function transfer721(from: number, sender: Address, recipient: Address, tokenId: bigint): Send {
  return { from, to: EMITTER_OF_FOUR, data: emitted([TRANSFER, addressWord(sender), addressWord(recipient), uint(tokenId) as Hash]) }
}

/** The log of a withdrawal; the call itself keeps no value. */
export function withdraw(from: number, sender: Address, target: Address, valueWei: bigint): Send {
  const withdrawal = { nonce: 1n, sender, target, valueWei, gasLimit: 0n, data: new Uint8Array(0) }
  const data = encodeParameters('uint256,uint256,bytes,bytes32', [valueWei, 0n, withdrawal.data, hexToBytes(withdrawalHash(withdrawal))])
  const topics = [MESSAGE_PASSED_TOPIC, uint(1n), addressWord(sender), addressWord(target)]
  return { from, to: L2_TO_L1_MESSAGE_PASSER, data: emitted(topics, bytesToHex(data)) }
}

export function emitted(topics: readonly Hex[], data: Hex = '0x'): Hex {
  return `0x${[...topics, data].map((part) => part.slice(2)).join('')}`
}

export const uint = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A store, a follower and everything in the database as text. */
export interface TestIndex {
  readonly db: Database
  readonly store: BlockStore
  readonly follower: Follower
  contents(): Promise<Readonly<Record<string, readonly string[]>>>
}

export async function openTestIndex(world: IndexedWorld, db: Database, chain: IndexedChain = world.chain): Promise<TestIndex> {
  await prepareDatabase(db, { chainId: world.execution.chainId, genesisHash: world.execution.genesis.hash })
  const store = createBlockStore(db)
  const [clock, log] = [world.execution.clock, createSilentLogger()]
  const options = { name: 'L2' as const, startBlock: 0, pollIntervalMs: 1_000, partsAtOnce: 3 }
  const follower = createFollower(options, { chain, store, isWriter: db.isWriter, clock, log, metrics: createMetrics('index') })
  return {
    db,
    store,
    follower,
    async contents() {
      const found: Record<string, readonly string[]> = {}
      for (const table of TABLES) {
        const rows = await db.query<{ row: string }>(`select ${table}::text as row from ${table} order by 1`)
        found[table] = rows.map(({ row }) => row)
      }
      return found
    },
  }
}

const TABLES = [
  'cursor',
  'blocks',
  'transactions',
  'logs',
  'token_transfers',
  'tokens',
  'token_balances',
  'address_transactions',
  'hours',
  'withdrawals',
]

/** What contracts said; not part of what follows from the blocks alone. */
const READINGS = ['token_holders', 'token_candidates']

/** Empties the tables, which is faster than another database. */
export async function emptyIndex(db: Database): Promise<void> {
  await db.query(`truncate ${[...TABLES, ...READINGS].join(', ')}`)
}
