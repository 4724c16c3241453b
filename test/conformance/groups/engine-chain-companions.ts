import assert from 'node:assert/strict'
import type { ExecutionNode } from '@keelson/execution'
import { bytesToHex, createPureCrypto, hexToBytes } from '@keelson/primitives'
import type { ConformanceCase } from '../group.ts'
import { importExportedChain, openL1Node, request } from '../l1-node.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'

type Chain = () => Promise<ExecutionNode>

interface TransactionInfo {
  readonly txhash?: string
  readonly sender?: string
  readonly contract?: string
  readonly block?: string
  readonly indexInBlock?: number
  readonly logtopic0?: string
  readonly logtopic1?: string
}

interface ReceiptAnswer {
  readonly from: string
  readonly blockNumber: string
  readonly transactionIndex: string
  readonly logs: readonly { readonly topics: readonly string[] }[]
}

const FOLDER = 'engine-chain/'

export function companionCases(folder: VectorFolder, chain: Chain, headHash: string): ConformanceCase[] {
  return [
    ...folder.casesOf(folder.paths(FOLDER, /\.rlp$/), (path) => [
      { id: path.slice(FOLDER.length), run: () => checkExported(folder, path, headHash) },
    ]),
    ...folder.casesOf(folder.paths(FOLDER, /\/accounts\.json$/), (path) => accountCases(folder.json(path))),
    ...folder.casesOf(folder.paths(FOLDER, /\/txinfo\.json$/), (path) => transactionCases(folder.json(path), chain)),
  ]
}

async function checkExported(folder: VectorFolder, path: string, headHash: string): Promise<void> {
  const node = await openL1Node(folder.json(`${FOLDER}genesis.json`))
  const { head } = await importExportedChain(node, folder.bytes(path))
  assert.equal(head, headHash)
  await node.stop()
}

function accountCases(accounts: Readonly<Record<string, { readonly key: string }>>): ConformanceCase[] {
  const crypto = createPureCrypto()
  return Object.entries(accounts).map(([address, { key }]) => ({
    id: `accounts/${address}`,
    run: () => assert.equal(bytesToHex(crypto.addressOf(hexToBytes(key))), address.toLowerCase()),
  }))
}

function transactionCases(file: Readonly<Record<string, unknown>>, chain: Chain): ConformanceCase[] {
  return Object.entries(file).flatMap(([kind, entries]) =>
    ([entries].flat() as (TransactionInfo | null)[]).flatMap((info, i) => {
      const id = `txinfo/${kind}/${i}`
      if (info?.txhash !== undefined) return [{ id, run: async () => checkTransaction(await chain(), info) }]
      if (kind === 'withdrawals') return withdrawalCases(info as unknown as Withdrawals, chain)
      if (info?.contract !== undefined) return [{ id, run: async () => checkContract(await chain(), info) }]
      return []
    }),
  )
}

type Withdrawals = Readonly<Record<string, { readonly withdrawals: readonly unknown[] }>>

function withdrawalCases(blocks: Withdrawals, chain: Chain): ConformanceCase[] {
  return Object.entries(blocks).map(([number, { withdrawals }]) => ({
    id: `txinfo/withdrawals/${number}`,
    async run() {
      const block = await ask(await chain(), 'eth_getBlockByNumber', [`0x${Number(number).toString(16)}`, false])
      assert.deepEqual((block as { readonly withdrawals: unknown }).withdrawals, withdrawals)
    },
  }))
}

function ask(node: ExecutionNode, method: string, params: readonly unknown[]): Promise<unknown> {
  return request(node.methods, { id: 1, method, params })
}

async function checkTransaction(node: ExecutionNode, info: TransactionInfo): Promise<void> {
  const receipt = (await ask(node, 'eth_getTransactionReceipt', [info.txhash])) as ReceiptAnswer | null
  assert.ok(receipt !== null, `no receipt of ${info.txhash}`)
  assert.equal(Number(receipt.blockNumber), Number(info.block))
  if (info.sender !== undefined) assert.equal(receipt.from, info.sender)
  if (info.indexInBlock !== undefined) assert.equal(Number(receipt.transactionIndex), info.indexInBlock)
  const topics = [info.logtopic0, info.logtopic1].filter((topic) => topic !== undefined)
  if (topics.length > 0) assert.deepEqual(receipt.logs[0]?.topics.slice(0, topics.length), topics)
}

async function checkContract(node: ExecutionNode, { contract, block }: TransactionInfo): Promise<void> {
  const before = `0x${(Number(block) - 1).toString(16)}`
  assert.equal(await ask(node, 'eth_getCode', [contract, before]), '0x')
  assert.notEqual(await ask(node, 'eth_getCode', [contract, block]), '0x')
}
