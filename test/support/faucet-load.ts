/** Retries use the same idempotency key. */
import { setTimeout as delay } from 'node:timers/promises'
import { pad, toHex } from 'viem'
import { rpcCall } from './json-rpc.ts'

export interface FaucetLoad {
  readonly asked: readonly string[]
  readonly accepted: readonly string[]
  stop(): Promise<void>
}

export const FAUCET_AMOUNT_WEI = 10n * 10n ** 18n
const PEOPLE = 0xfa0ce7n << 64n
const RETRY_MS = 500
const TIMEOUT_MS = 10_000

export function startFaucetLoad(faucetUrl: string, intervalMs: number): FaucetLoad {
  const asked: string[] = []
  const accepted: string[] = []
  const ending = new AbortController()
  const wait = (ms: number) => delay(ms, undefined, { signal: ending.signal }).catch(() => undefined)

  async function claim(address: string, place: number): Promise<boolean> {
    const response = await fetch(`${faucetUrl}/api/claim`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `person-${place}`,
        'x-forwarded-for': `10.77.${place >> 8}.${place & 255}`,
      },
      body: JSON.stringify({ address }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => null)
    if (response === null) return false
    if (response.status === 200) return true
    if (response.status < 500 && response.status !== 429)
      throw new Error(`the faucet rejected ${address}: ${response.status} ${await response.text()}`)
    return false
  }

  async function run(): Promise<void> {
    for (let place = 1; !ending.signal.aborted; place++) {
      const address = pad(toHex(PEOPLE + BigInt(place)), { size: 20 })
      asked.push(address)
      while (!ending.signal.aborted) {
        if (await claim(address, place)) {
          accepted.push(address)
          break
        }
        await wait(RETRY_MS)
      }
      await wait(intervalMs)
    }
  }

  const running = run()
  running.catch(() => undefined)
  return {
    asked,
    accepted,
    async stop() {
      ending.abort()
      await running
    },
  }
}

export async function findWrongPayments({ asked, accepted }: FaucetLoad, l2Url: string, block = 'latest'): Promise<readonly string[]> {
  const promised = new Set(accepted)
  const wrong: string[] = []
  for (const address of asked) {
    const wei = BigInt(await rpcCall<string>(l2Url, 'eth_getBalance', [address, block]))
    if (wei > FAUCET_AMOUNT_WEI) wrong.push(`${address} was paid more than once: ${wei} wei`)
    else if (wei !== FAUCET_AMOUNT_WEI && (wei !== 0n || promised.has(address)))
      wrong.push(`${address} has ${wei} wei after an accepted claim`)
  }
  return wrong
}
