import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { type Address, bytesToHex, type Hash, hexToBytes, type SignedTransaction, toAddress, ZERO_HASH } from '@keelson/primitives'
import { createRpcServer, createSilentLogger, createSystemClock, type RpcMethods, type RpcServer } from '@keelson/runtime'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions, type TestAccount } from './execution-world.ts'

export const ECHO_REVERT = toAddress('0x00000000000000000000000000000000000ec001')
export const LOGGER = toAddress('0x00000000000000000000000000000000000ec002')
const ECHO_REVERT_CODE = hexToBytes('0x365f5f37365ffd')
const LOGGER_CODE = hexToBytes('0x5f355f5fa100')
export const TOPIC = `0x${'ab'.repeat(32)}` as Hash
export const NO_LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }

const contract = (address: Address, code: Uint8Array) => ({ address, nonce: 1n, balanceWei: 0n, code, storage: [] })

export function openRpcWorld(options: ExecutionWorldOptions = {}): Promise<ExecutionWorld> {
  const rpc = { ...(options.options?.rpc ?? DEFAULT_EXECUTION_OPTIONS.rpc), conditionalTransactions: true }
  return createExecutionWorld({
    ...options,
    options: { ...options.options, rpc },
    alloc: [contract(ECHO_REVERT, ECHO_REVERT_CODE), contract(LOGGER, LOGGER_CODE), ...(options.alloc ?? [])],
  })
}

export function account(world: ExecutionWorld, i: number): TestAccount {
  return world.accounts[i] as TestAccount
}

export function logTransaction(world: ExecutionWorld, from: number, nonce: bigint, topic: Hash = TOPIC): SignedTransaction {
  return world.sign(from, {
    type: 2,
    chainId: world.chainId,
    nonce,
    gasLimit: 60_000n,
    to: hexToBytes(LOGGER),
    valueWei: 0n,
    data: hexToBytes(topic),
    accessList: [],
    maxPriorityFeePerGasWei: 1n,
    maxFeePerGasWei: 5_000_000_000n,
  })
}

export async function serveMethods(methods: RpcMethods): Promise<RpcServer> {
  const server = createRpcServer(
    { name: 'test', host: '127.0.0.1', port: 0, ws: true },
    { methods, clock: createSystemClock(), log: createSilentLogger() },
  )
  await server.start(new AbortController().signal)
  return server
}

export function viemClients(world: ExecutionWorld, url: string, signerIndex = 0) {
  const chain = defineChain({
    id: Number(world.chainId),
    name: 'test',
    nativeCurrency: { name: 'test', symbol: 'TST', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const transport = http(url, { retryCount: 0 })
  const signer = privateKeyToAccount(bytesToHex(account(world, signerIndex).privateKey))
  return {
    reader: createPublicClient({ chain, transport, pollingInterval: 20 }),
    writer: createWalletClient({ chain, transport, account: signer }),
  }
}
