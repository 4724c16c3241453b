/** Runs on our client and on anvil with equal block numbers and times. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ArtifactName } from '@keelson/contracts'
import type { GenesisAccount } from '@keelson/primitives'
import {
  type Abi,
  type Address,
  createPublicClient,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hexToBytes,
  http,
  keccak256,
  type Log,
  type PublicClient,
  parseEther,
  stringToHex,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { serveMethods } from './execution-rpc-world.ts'
import { createExecutionWorld } from './execution-world.ts'
import { assertSupply } from './supply.ts'
import { startTestAnvil } from './test-anvil.ts'

const OWN_ARTIFACTS = join(import.meta.dirname, '../../packages/contracts/artifacts/own')
const GENESIS_TIME_SEC = 1_800_000_000
const BLOCK_TIME_SEC = 2
const GAS_LIMIT = 8_000_000n
const ACCOUNTS = 10

export interface OwnContract {
  readonly abi: Abi
  readonly bytecode: Hex
}

export interface Call {
  readonly from: number
  readonly to: Address
  readonly abi: Abi
  readonly name: string
  readonly args?: readonly unknown[]
  readonly valueWei?: bigint
  readonly gas?: bigint
}

export interface Outcome {
  readonly gasUsed: bigint
  readonly logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[]
  /** Name and arguments of the custom error. */
  readonly reverted: string | null
}

export interface ContractChain {
  readonly name: string
  readonly accounts: readonly PrivateKeyAccount[]
  readonly reader: PublicClient
  deploy(contract: OwnContract, args?: readonly unknown[], valueWei?: bigint): Promise<Address>
  send(call: Call): Promise<Outcome>
  pay(from: number, to: Address, valueWei: bigint): Promise<Outcome>
  nowSec(): number
  height(): number
  advance(seconds: number): void
  mine(count: number): Promise<void>
  stop(): Promise<void>
}

export interface PlacedCode {
  readonly address: Address
  readonly code: Hex
}

interface Backend {
  readonly name: string
  readonly chainId: number
  readonly reader: PublicClient
  readonly stop: () => Promise<void>
  block(timestampSec: number): Promise<void>
}

export function readOwnContract(name: ArtifactName): OwnContract {
  return JSON.parse(readFileSync(join(OWN_ARTIFACTS, `${name}.json`), 'utf8')) as OwnContract
}

function describeRevert(abi: Abi, data: Hex): string {
  if (data === '0x') return 'without data, as when out of gas'
  const { errorName, args } = decodeErrorResult({ abi, data })
  return `${errorName}(${(args ?? []).join(',')})`
}

async function openChain(backend: Backend, accounts: readonly PrivateKeyAccount[]): Promise<ContractChain> {
  const { reader, chainId } = backend
  const nonces = await Promise.all(accounts.map(({ address }) => reader.getTransactionCount({ address })))
  let timeSec = Number((await reader.getBlock()).timestamp)
  let aheadSec = 0
  let height = Number(await reader.getBlockNumber())

  async function block(): Promise<void> {
    timeSec += BLOCK_TIME_SEC + aheadSec
    aheadSec = 0
    await backend.block(timeSec)
    height++
  }
  async function transact(from: number, to: Address | null, data: Hex, valueWei: bigint, abi: Abi, gas = GAS_LIMIT): Promise<Outcome> {
    const serializedTransaction = await (accounts[from] as PrivateKeyAccount).signTransaction({
      type: 'eip1559',
      chainId,
      nonce: nonces[from] as number,
      gas,
      to,
      data,
      value: valueWei,
      maxFeePerGas: 50_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })
    nonces[from] = (nonces[from] as number) + 1
    const hash = await reader.sendRawTransaction({ serializedTransaction })
    await block()
    const receipt = await reader.getTransactionReceipt({ hash })
    const logs = receipt.logs.map(({ address, topics, data: logData }) => ({ address, topics, data: logData }))
    return { gasUsed: receipt.gasUsed, logs, reverted: receipt.status === 'success' ? null : describeRevert(abi, await revertData(hash)) }
  }
  async function revertData(hash: Hex): Promise<Hex> {
    const method = 'debug_traceTransaction' as never
    const trace = (await reader.request({ method, params: [hash, { tracer: 'callTracer' }] as never })) as { output?: Hex }
    return trace.output ?? '0x'
  }
  return {
    name: backend.name,
    accounts,
    reader,
    async deploy(contract, args = [], valueWei = 0n) {
      const address = getContractAddress({ from: (accounts[0] as PrivateKeyAccount).address, nonce: BigInt(nonces[0] as number) })
      const { reverted } = await transact(0, null, encodeDeployData({ ...contract, args }), valueWei, contract.abi)
      if (reverted !== null) throw new Error(`the constructor reverted with ${reverted}`)
      return address
    },
    send: ({ from, to, abi, name, args = [], valueWei = 0n, gas }) =>
      transact(from, to, encodeFunctionData({ abi, functionName: name, args }), valueWei, abi, gas),
    pay: (from, to, valueWei) => transact(from, to, '0x', valueWei, []),
    nowSec: () => timeSec,
    height: () => height,
    advance(seconds) {
      aheadSec += seconds
    },
    async mine(count) {
      for (let made = 0; made < count; made++) await block()
    },
    stop: backend.stop,
  }
}

function testKeys(): readonly Hex[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => keccak256(stringToHex(`keelson test account ${index}`)))
}

async function openOwn(placed: readonly PlacedCode[]): Promise<ContractChain> {
  const alloc = placed.map(({ address, code }) => ({
    address: address.toLowerCase() as GenesisAccount['address'],
    nonce: 1n,
    balanceWei: 0n,
    code: hexToBytes(code),
    storage: [],
  }))
  const world = await createExecutionWorld({ genesisTimestampSec: GENESIS_TIME_SEC, alloc })
  const accounts = testKeys().map((key) => privateKeyToAccount(key))
  const server = await serveMethods(world.node.methods)
  return openChain(
    {
      name: 'keelson',
      chainId: Number(world.chainId),
      reader: clientOf(server.httpUrl),
      async stop() {
        await server.stop()
        await world.node.settled()
        await assertSupply(world)
        await world.stop()
      },
      block: async (timestampSec) => void (await world.mine({ timestampSec })),
    },
    accounts,
  )
}

async function openAnvil(placed: readonly PlacedCode[]): Promise<ContractChain> {
  const { url, rpc, stop } = await startTestAnvil({ chainId: 901, timestampSec: GENESIS_TIME_SEC })
  const reader = clientOf(url)
  const accounts = testKeys().map((key) => privateKeyToAccount(key))
  for (const { address } of accounts) await rpc('anvil_setBalance', address, `0x${parseEther('1000').toString(16)}`)
  for (const { address, code } of placed) await rpc('anvil_setCode', address, code)
  return openChain(
    {
      name: 'anvil',
      chainId: 901,
      reader,
      stop,
      async block(timestampSec) {
        await rpc('evm_setNextBlockTimestamp', timestampSec)
        await rpc('evm_mine')
      },
    },
    accounts,
  )
}

function clientOf(url: string): PublicClient {
  return createPublicClient({ cacheTime: 0, transport: http(url, { retryCount: 0 }) }) as PublicClient
}

export const CONTRACT_CHAINS: readonly { readonly name: string; open(placed?: readonly PlacedCode[]): Promise<ContractChain> }[] = [
  { name: 'keelson', open: (placed = []) => openOwn(placed) },
  { name: 'anvil', open: (placed = []) => openAnvil(placed) },
]
