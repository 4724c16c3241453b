import type { Clock, Logger } from '@keelson/primitives'
import { createPoller, type Metrics, type Service } from '@keelson/runtime'
import type { ChainAccount } from './chain-account.ts'

export interface BalanceWatch extends Service {
  step(): Promise<void>
  readonly balanceWei: bigint | null
}

export interface BalanceWatchOptions {
  /** Logs once when the balance falls below this or recovers. */
  readonly lowWei: bigint
  readonly intervalMs?: number
}

const DEFAULT_INTERVAL_MS = 60_000
const WEI_PER_GWEI = 1_000_000_000n

export function createBalanceWatch(
  options: BalanceWatchOptions,
  deps: {
    readonly account: Pick<ChainAccount, 'chain' | 'address' | 'balanceWei'>
    readonly clock: Clock
    readonly log: Logger
    readonly metrics?: Metrics
  },
): BalanceWatch {
  const { account, clock, log } = deps
  const { chain } = account
  const prefix = chain.toLowerCase()
  const gauge = deps.metrics?.gauge(`${prefix}_balance_gwei`, `What the ${chain} account has left, in gwei`)
  const lowGauge = deps.metrics?.gauge(`${prefix}_balance_low`, `1 while the ${chain} account should be funded`)
  let balanceWei: bigint | null = null
  let low = false

  async function step(): Promise<void> {
    const found = await account.balanceWei()
    balanceWei = found
    gauge?.set(Number(found / WEI_PER_GWEI))
    const isLow = found < options.lowWei
    lowGauge?.set(isLow ? 1 : 0)
    const fields = { account: account.address, balanceWei: found, lowWei: options.lowWei }
    if (isLow && !low) log.warn(`the ${chain} account is running out of funds`, fields)
    if (!isLow && low) log.info(`the ${chain} account has funds again`, fields)
    low = isLow
  }

  const poller = createPoller(step, {
    clock,
    intervalMs: options.intervalMs ?? DEFAULT_INTERVAL_MS,
    onError: (error) => log.debug(`cannot read the balance of the ${chain} account`, { error }),
  })

  return {
    name: 'balance watch',
    step,
    get balanceWei() {
      return balanceWei
    },
    async start() {
      poller.start()
    },
    async stop() {
      // A hanging request must not delay the stop.
      void poller.stop()
    },
  }
}
