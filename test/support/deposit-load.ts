/** Each deposit must be credited on L2 exactly once. */
import { setTimeout as delay } from 'node:timers/promises'
import { TRANSACTION_DEPOSITED_TOPIC } from '@keelson/contracts'
import { createWalletClient, defineChain, encodeFunctionData, http, pad, parseAbi, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevnetFacts } from './devnet-process.ts'
import { rpcCall } from './json-rpc.ts'

export interface DepositLoad {
  readonly hashes: readonly string[]
  stop(): Promise<void>
}

const portal = parseAbi(['function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable'])
const RECIPIENTS = 0xc4a0n << 64n
const VALUE_WEI = 1_000_000_007n
const GAS = 100_000n
const ACCOUNT = 8
const TIMEOUT_MS = 3_000

export function startDepositLoad({ l1, accounts, contracts }: DevnetFacts, intervalMs: number): DepositLoad {
  const chain = defineChain({
    id: l1.chainId,
    name: 'L1',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [l1.rpcUrl] } },
  })
  const account = privateKeyToAccount(accounts[ACCOUNT]?.privateKey as `0x${string}`)
  const wallet = createWalletClient({ chain, account, transport: http(l1.rpcUrl, { timeout: TIMEOUT_MS, retryCount: 0 }) })
  const ending = new AbortController()
  const hashes: string[] = []
  let tried = 0

  async function send(): Promise<void> {
    const to = pad(toHex(RECIPIENTS + BigInt(++tried)), { size: 20 })
    const data = encodeFunctionData({ abi: portal, functionName: 'depositTransaction', args: [to, VALUE_WEI, GAS, false, '0x'] })
    hashes.push(await wallet.sendTransaction({ to: contracts.OptimismPortal as `0x${string}`, value: VALUE_WEI, gas: 500_000n, data }))
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await send().catch(() => undefined)
      await delay(intervalMs, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    hashes,
    async stop() {
      ending.abort()
      await running
    },
  }
}

export async function findUncredited(
  { l1, contracts }: DevnetFacts,
  l2Url: string,
  last: number,
  block: string,
): Promise<{ readonly found: number; readonly wrong: readonly string[] }> {
  const logs = await rpcCall<{ topics: string[] }[]>(l1.rpcUrl, 'eth_getLogs', [
    { address: contracts.OptimismPortal, topics: [TRANSACTION_DEPOSITED_TOPIC], fromBlock: '0x0', toBlock: `0x${last.toString(16)}` },
  ])
  const expected = new Map<string, bigint>()
  for (const { topics } of logs) {
    const to = BigInt(topics[2] ?? '0x0')
    if (to >> 64n !== RECIPIENTS >> 64n) continue
    const address = pad(toHex(to), { size: 20 })
    expected.set(address, (expected.get(address) ?? 0n) + VALUE_WEI)
  }
  const wrong: string[] = []
  for (const [address, wei] of expected) {
    const balance = BigInt(await rpcCall<string>(l2Url, 'eth_getBalance', [address, block]))
    if (balance !== wei) wrong.push(`${address} has ${balance} wei on L2, but ${wei} wei were deposited`)
  }
  return { found: expected.size, wrong }
}
