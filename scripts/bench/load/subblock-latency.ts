/**
 * Time from eth_sendRawTransaction to a receipt, at the sequencer, which answers from sealed blocks, and at the node that follows its
 * subblocks: the first receipt, which is of the block that is being built, and the receipt of the sealed block.
 *   npm run build && node --import=tsx scripts/bench/load/subblock-latency.ts [--transactions N] [--port-offset N]
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ZERO_HASH } from '@keelson/primitives'
import { createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { newDevnetFolder, startDevnet, withServices } from '../../../test/support/devnet-process.ts'
import { rpcCall } from '../../../test/support/json-rpc.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { percentile } from '../measure.ts'
import { formatTable } from '../table.ts'

const { values } = parseArgs({
  options: { transactions: { type: 'string', default: '100' }, 'port-offset': { type: 'string', default: '27000' } },
})
const POLL_MS = 10
const LIMIT_MS = 30_000

interface Latency {
  readonly firstMs: number
  readonly sealedMs: number
}

async function awaitReceipts(rpcUrl: string, hash: Hex, sentMs: number): Promise<Latency> {
  let firstMs: number | null = null
  while (performance.now() - sentMs < LIMIT_MS) {
    const receipt = await rpcCall<{ readonly blockHash: string } | null>(rpcUrl, 'eth_getTransactionReceipt', [hash])
    if (receipt !== null) {
      firstMs ??= performance.now() - sentMs
      if (receipt.blockHash !== ZERO_HASH) return { firstMs, sealedMs: performance.now() - sentMs }
    }
    await delay(POLL_MS)
  }
  throw new Error(`${hash} was in no block after ${LIMIT_MS / 1000} s`)
}

function rowOf(name: string, times: readonly number[]): string[] {
  const at = (share: number) => `${Math.round(percentile(times, share))} ms`
  return [name, at(0.5), at(0.99), at(1)]
}

const devnet = await startDevnet(newDevnetFolder(), Number(values['port-offset']), withServices())
try {
  const { l2, validator, accounts } = devnet.facts
  const account = privateKeyToAccount((accounts[5] as (typeof accounts)[number]).privateKey)
  const chain = defineChain({
    id: l2.chainId,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [l2.rpcUrl] } },
  })
  const wallet = createWalletClient({ account, chain, transport: http() })
  const found = { sequencer: [] as Latency[], follower: [] as Latency[] }
  for (let nonce = 0; nonce < Number(values.transactions); nonce++) {
    const request = { to: account.address, value: 1n, nonce, gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 6n }
    const raw = await wallet.signTransaction({ ...request, type: 'eip1559' })
    // Every phase of the block comes up.
    await delay((nonce * 137) % 400)
    const sentMs = performance.now()
    const hash = await rpcCall<Hex>(l2.rpcUrl, 'eth_sendRawTransaction', [raw])
    const [own, other] = await Promise.all([l2, validator].map(({ rpcUrl }) => awaitReceipts(rpcUrl, hash, sentMs)))
    found.sequencer.push(own as Latency)
    found.follower.push(other as Latency)
  }
  const rows = Object.entries(found).flatMap(([name, latencies]) => [
    rowOf(
      `${name}, first receipt`,
      latencies.map(({ firstMs }) => firstMs),
    ),
    rowOf(
      `${name}, receipt of the sealed block`,
      latencies.map(({ sealedMs }) => sealedMs),
    ),
  ])
  console.log(machineLine(await describeMachine()))
  console.log(formatTable(['from sending to', 'p50', 'p99', 'longest'], rows))
} finally {
  await devnet.remove()
}
