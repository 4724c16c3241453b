/** Sends transfers at a steady rate, each to an address of its own, so that the state grows. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rpcCall } from '../../../../test/support/json-rpc.ts'

const SUBMIT_MS = 200
const MAX_BATCH = 50
const FEES = { type: 'eip1559', gas: 21_000n, maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 1_000_000n, value: 1n } as const

export interface Transfers {
  stop(): Promise<void>
}

export function startTransfers(rpcUrl: string, chainId: number, keys: readonly Hex[], perSecond: number): Transfers {
  const ending = new AbortController()
  let receiver = BigInt(perSecond) << 64n

  async function send(): Promise<void> {
    const accounts = keys.map((key) => privateKeyToAccount(key))
    const nonces = await Promise.all(
      accounts.map(async ({ address }) => Number(await rpcCall<string>(rpcUrl, 'eth_getTransactionCount', [address, 'pending']))),
    )
    const began = performance.now()
    for (let sent = 0; !ending.signal.aborted; ) {
      const due = Math.floor(((performance.now() - began) / 1000) * perSecond)
      const batch: Hex[] = []
      for (; sent < due && batch.length < MAX_BATCH; sent++) {
        const from = sent % accounts.length
        const to: Hex = `0x${(++receiver).toString(16).padStart(40, '0')}`
        const nonce = nonces[from] as number
        batch.push((await accounts[from]?.signTransaction({ ...FEES, chainId, to, nonce })) as Hex)
        nonces[from] = nonce + 1
      }
      if (batch.length > 0) await submit(rpcUrl, batch)
      await delay(SUBMIT_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }

  const sending = send()
  sending.catch(() => undefined)
  return {
    async stop() {
      ending.abort()
      await sending
    },
  }
}

/** Throws the first refusal. */
async function submit(rpcUrl: string, batch: readonly Hex[]): Promise<void> {
  const body = JSON.stringify(batch.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] })))
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = (await response.json()) as { readonly error?: { readonly message: string } }[]
  const refused = answers.find(({ error }) => error !== undefined)
  if (refused !== undefined) throw new Error(`eth_sendRawTransaction: ${refused.error?.message}`)
}
