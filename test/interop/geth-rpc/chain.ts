/** A chain under L1's rules, which any execution client of Ethereum can import. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionNode } from '@keelson/execution'
import {
  type Address,
  bytesToHex,
  concatBytes,
  createPureCrypto,
  encodeBlock,
  encodeSignedTransaction,
  type Hex,
  hexToBytes,
  keccak256,
  signingDigest,
  TX_ACCESS_LIST,
  TX_FEE_MARKET,
  TX_LEGACY,
  toAddress,
  type UnsignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import { openL1Node } from '../../conformance/l1-node.ts'
import type { RpcWorld } from '../../fuzz/rpc-world.ts'

const CHAIN_ID = 901n
const GENESIS_SEC = 1_700_000_000
const BLOCK_SEC = 12
const BLOCKS = 8
const GAS_LIMIT = 30_000_000n
const FEE_RECIPIENT = toAddress(`0x${'fe'.repeat(20)}`)
const TOPIC = `0x${'11'.repeat(32)}`
const FILTERS = 8
export const FILTER_PLACEHOLDERS: readonly string[] = Array.from({ length: FILTERS }, (_, i) => `filter-${i}`)

/** Stores 1, logs one topic, and returns its input. */
const CONTRACT = toAddress(`0x${'cc'.repeat(20)}`)
const CONTRACT_CODE = `0x600160005560426000527f${TOPIC.slice(2)}60206000a1366000600037366000f3`
/** Reverts with its input as data. */
const REVERTER = toAddress(`0x${'ee'.repeat(20)}`)
const REVERTER_CODE = '0x365f5f37365ffd'
/** Calls the address in its input, and then meets an invalid opcode when that fails. */
const CALLER = toAddress(`0x${'ca'.repeat(20)}`)
const CALLER_CODE = '0x5f5f5f5f5f5f355af1601057fe5b00'

const crypto = createPureCrypto()
const accounts = Array.from({ length: 6 }, (_, i) => {
  const privateKey = keccak256(new TextEncoder().encode(`rpc comparison ${i}`))
  return { privateKey, address: toAddress(crypto.addressOf(privateKey)) }
})

export interface ComparedChain {
  readonly node: ExecutionNode
  readonly head: { readonly number: number; readonly hash: string }
  readonly facts: RpcWorld['facts']
  /** Writes genesis.json and chain.rlp. */
  write(folder: string): void
}

function genesisJson(): object {
  const config = {
    chainId: Number(CHAIN_ID),
    ...Object.fromEntries(
      ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul', 'berlin', 'london'].map(
        (fork) => [`${fork}Block`, 0],
      ),
    ),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 } },
  }
  const contract = (code: string, storage?: object) => ({
    balance: '0x7',
    nonce: '0x1',
    code,
    ...(storage === undefined ? {} : { storage }),
  })
  return {
    config,
    timestamp: `0x${GENESIS_SEC.toString(16)}`,
    gasLimit: `0x${GAS_LIMIT.toString(16)}`,
    baseFeePerGas: '0x3b9aca00',
    difficulty: '0x0',
    extraData: '0x',
    nonce: '0x0',
    mixHash: ZERO_HASH,
    coinbase: `0x${'00'.repeat(20)}`,
    alloc: {
      ...Object.fromEntries(accounts.map(({ address }) => [address, { balance: '0x3635c9adc5dea00000' }])),
      [CONTRACT]: contract(CONTRACT_CODE, { [ZERO_HASH]: `0x${'00'.repeat(31)}01` }),
      [REVERTER]: contract(REVERTER_CODE),
      [CALLER]: contract(CALLER_CODE),
    },
  }
}

export async function createComparedChain(): Promise<ComparedChain> {
  const genesis = genesisJson()
  const node = await openL1Node(genesis)
  const blockHashes: string[] = [node.chain.label('unsafe').hash]
  const txHashes: string[] = []
  const rawTxs: string[] = []
  const blocks: Uint8Array[] = []
  for (let number = 1; number <= BLOCKS; number++) {
    const signed = transactionsOf(number)
    for (const { hash, raw } of signed) {
      txHashes.push(hash)
      rawTxs.push(bytesToHex(raw))
    }
    const block = await addBlock(
      node,
      number,
      signed.map(({ raw }) => raw),
    )
    blockHashes.push(block.hash)
    blocks.push(encodeBlock(block))
  }
  const facts = {
    accounts: [...accounts.map(({ address }) => address), REVERTER, CALLER],
    contract: CONTRACT,
    blockHashes,
    txHashes,
    rawTxs,
    topic: TOPIC,
    filterIds: FILTER_PLACEHOLDERS,
  }
  return {
    node,
    head: { number: BLOCKS, hash: blockHashes.at(-1) as string },
    facts,
    write(folder) {
      writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis, null, 2))
      writeFileSync(join(folder, 'chain.rlp'), concatBytes(...blocks))
    },
  }
}

/** Each account sends one transaction a block: transfers, logs, reverts, a creation and an invalid opcode, of every type. */
function transactionsOf(number: number) {
  const kinds: readonly [to: Address | null, data: Hex][] = [
    [accounts[1]?.address as Address, '0x'],
    [CONTRACT, TOPIC as Hex],
    [REVERTER, '0x08c379a0'],
    [null, '0x6001600c60003960016000f300'],
    [CALLER, bytesToHex(concatBytes(new Uint8Array(12), hexToBytes(CONTRACT)))],
    [CALLER, bytesToHex(concatBytes(new Uint8Array(12), hexToBytes(REVERTER)))],
  ]
  return kinds.map(([to, data], i) => sign(i, number, to, data))
}

function sign(account: number, number: number, to: Address | null, data: Hex) {
  const shared = {
    chainId: CHAIN_ID,
    nonce: BigInt(number - 1),
    gasLimit: 120_000n,
    to: to === null ? null : hexToBytes(to),
    valueWei: account === 0 ? 5n : 0n,
    data: hexToBytes(data),
  }
  const gasPriceWei = 3_000_000_000n
  const typed: readonly UnsignedTransaction[] = [
    { type: TX_LEGACY, ...shared, gasPriceWei },
    { type: TX_ACCESS_LIST, ...shared, gasPriceWei, accessList: [] },
    { type: TX_FEE_MARKET, ...shared, accessList: [], maxPriorityFeePerGasWei: 1_000_000_000n, maxFeePerGasWei: gasPriceWei },
  ]
  const tx = typed[(account + number) % typed.length] as UnsignedTransaction
  return encodeSignedTransaction(tx, crypto.sign(signingDigest(tx), (accounts[account] as { privateKey: Uint8Array }).privateKey))
}

async function addBlock(node: ExecutionNode, number: number, transactions: readonly Uint8Array[]) {
  const { hash } = node.chain.label('unsafe')
  const labels = { safe: ZERO_HASH, finalized: ZERO_HASH }
  const attributes = {
    timestampSec: GENESIS_SEC + number * BLOCK_SEC,
    prevRandao: ZERO_HASH,
    feeRecipient: FEE_RECIPIENT,
    withdrawals: [],
    parentBeaconBlockRoot: ZERO_HASH,
    transactions,
    noTxPool: true,
    gasLimit: GAS_LIMIT,
    eip1559Params: null,
    minBaseFeeWei: null,
  }
  const { payloadId } = await node.engine.forkchoiceUpdated({ head: hash, ...labels }, attributes)
  if (payloadId === null) throw new Error(`block ${number} was not built`)
  const { payload, parentBeaconBlockRoot } = await node.engine.getPayload(payloadId)
  const verdict = await node.engine.newPayload(payload, parentBeaconBlockRoot)
  if (verdict.status !== 'VALID') throw new Error(`block ${number}: ${JSON.stringify(verdict)}`)
  await node.engine.forkchoiceUpdated({ head: payload.blockHash, ...labels }, null)
  const block = node.chain.block(payload.blockHash)
  if (block === null || block.transactions.length !== transactions.length) throw new Error(`block ${number} lacks transactions`)
  return block
}
