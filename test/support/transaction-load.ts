import { setTimeout as delay } from 'node:timers/promises'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevnetProcess } from './devnet-process.ts'
import { DEADLINE_MS, patience } from './eventually.ts'
import { rpcCall } from './json-rpc.ts'

export interface TransactionLoad {
  readonly accepted: readonly string[]
  stop(): Promise<void>
}

const GAS = 21_000n
const FEE_WEI = 20_000_000_000n
const RETRY_MS = 200
/** The node has the transaction, but its answer was lost. */
const TAKEN = /already known|nonce too low/

export function startTransactionLoad({ facts }: DevnetProcess, accountIndexes: readonly number[], intervalMs: number): TransactionLoad {
  const accepted: string[] = []
  const ending = new AbortController()
  const submit = (raw: string) => rpcCall<string>(facts.l2.rpcUrl, 'eth_sendRawTransaction', [raw])

  async function send(index: number): Promise<void> {
    const account = privateKeyToAccount(facts.accounts[index]?.privateKey as `0x${string}`)
    let nonce = Number(await rpcCall<string>(facts.l2.rpcUrl, 'eth_getTransactionCount', [account.address, 'pending']))
    while (!ending.signal.aborted) {
      const raw = await account.signTransaction({
        chainId: facts.l2.chainId,
        type: 'eip1559',
        to: account.address,
        nonce: nonce++,
        gas: GAS,
        maxFeePerGas: FEE_WEI,
        maxPriorityFeePerGas: 1_000_000n,
      })
      accepted.push(await submitUntilAccepted(raw))
      await delay(intervalMs, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }

  async function submitUntilAccepted(raw: `0x${string}`): Promise<string> {
    const untilMs = performance.now() + DEADLINE_MS * patience()
    for (let attempt = 0; ; attempt++) {
      try {
        return await submit(raw)
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        if (attempt > 0 && TAKEN.test(text)) return keccak256(raw)
        if (performance.now() > untilMs || text.startsWith('eth_sendRawTransaction: ')) throw error
        await delay(RETRY_MS)
      }
    }
  }

  const senders = Promise.all(accountIndexes.map(send))
  senders.catch(() => undefined)
  return {
    accepted,
    async stop() {
      ending.abort()
      await senders
    },
  }
}
