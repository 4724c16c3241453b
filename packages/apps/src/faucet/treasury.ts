import type { ChainAccount, RpcClient } from '@keelson/client'
import type { Address, Clock, Hash, Logger } from '@keelson/primitives'
import { formatQuantity, parseJsonObject, parseQuantity } from '@keelson/primitives'
import type { HealthCheck, Metrics } from '@keelson/runtime'
import { createCodeLookup } from './claims/code-lookup.ts'
import { checkPayable } from './claims/recipient.ts'
import type { Treasury } from './claims/treasury.ts'
import { FaucetError } from './faucet-error.ts'

export interface TreasuryOptions {
  readonly chainId: bigint
  readonly genesis: { readonly number: number; readonly hash: Hash }
  readonly amountWei: bigint
  readonly lowBalanceWei: bigint
}

export interface WatchedTreasury extends Treasury {
  readonly checks: readonly HealthCheck[]
  /** Throws FaucetError `apps/faucet-chain`, ClientError. */
  step(): Promise<void>
  readonly checked: boolean
}

const STALE_MS = 30_000
const WEI_PER_TOKEN = 1e18

export function createTreasury(
  options: TreasuryOptions,
  deps: {
    readonly rpc: RpcClient
    readonly account: Pick<ChainAccount, 'address' | 'balanceWei'>
    readonly clock: Clock
    readonly log: Logger
    readonly metrics?: Metrics
  },
): WatchedTreasury {
  const { rpc, account, clock, log } = deps
  const codeOf = createCodeLookup(rpc)
  const balance = deps.metrics?.gauge('balance_tokens', "Balance of the faucet's account in native tokens")
  const lowGauge = deps.metrics?.gauge('balance_low', '1 while the account should be funded')
  let balanceWei: bigint | null = null
  let answeredMs = Number.NEGATIVE_INFINITY
  let checked = false
  let low = false

  async function assertChain(): Promise<void> {
    const chainId = parseQuantity(await rpc.call('eth_chainId', []), 'eth_chainId')
    const block = await rpc.call('eth_getBlockByNumber', [formatQuantity(options.genesis.number), false])
    const hash = block === null ? null : parseJsonObject(block, 'block').hash
    if (chainId !== options.chainId || hash !== options.genesis.hash) {
      throw new FaucetError(
        'apps/faucet-chain',
        `the node at ${rpc.host} is on chain ${chainId} with genesis ${hash}; expected chain ${options.chainId} with genesis ${options.genesis.hash}: check --l2.rpc and --network`,
      )
    }
    checked = true
  }

  async function step(): Promise<void> {
    if (!checked) await assertChain()
    const found = await account.balanceWei()
    balanceWei = found
    answeredMs = clock.monotonicMs()
    balance?.set(Number(found) / WEI_PER_TOKEN)
    const isLow = found < options.lowBalanceWei
    lowGauge?.set(isLow ? 1 : 0)
    if (isLow !== low) {
      const fields = { account: account.address, balanceWei: found, lowWei: options.lowBalanceWei }
      if (isLow) log.warn("the faucet's account is low on funds", fields)
      else log.info("the faucet's account has funds again", fields)
    }
    low = isLow
  }

  const trouble = () => {
    if (!checked) return { reason: 'its node has not responded yet' }
    return clock.monotonicMs() - answeredMs > STALE_MS ? { reason: 'its node does not respond' } : null
  }

  return {
    address: account.address,
    get balanceWei() {
      return balanceWei
    },
    get checked() {
      return checked
    },
    step,
    trouble,
    payable: (to: Address) => checkPayable(rpc, codeOf, { from: account.address, to, amountWei: options.amountWei }),
    checks: [
      {
        name: 'node',
        check: () => {
          const found = trouble()
          return found === null ? { ok: true } : { ok: false, reason: `${rpc.host}: ${found.reason}`, remedy: 'check --l2.rpc' }
        },
      },
      {
        name: 'balance',
        check: () =>
          low
            ? {
                ok: false,
                reason: `${balanceWei} wei are left, at least ${options.lowBalanceWei} are required`,
                remedy: `fund ${account.address} on L2`,
              }
            : { ok: true },
      },
    ],
  }
}
