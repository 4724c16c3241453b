/** Looks at what the L1 account has left, so that an operator hears of it before nothing can be sent any more. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { L1Account } from './l1-account.ts'

export interface BalanceWatch extends Service {
  /** Asks L1 once. Rejects when L1 does not answer. */
  step(): Promise<void>
  /** Null before the first answer. */
  readonly balanceWei: bigint | null
}

export interface BalanceWatchOptions {
  /** Below this it is said once that the account should be funded, and again when it has been. */
  readonly lowWei: bigint
  readonly intervalMs?: number
}

const DEFAULT_INTERVAL_MS = 60_000
const WEI_PER_GWEI = 1_000_000_000n

export function createBalanceWatch(
  options: BalanceWatchOptions,
  deps: {
    readonly account: Pick<L1Account, 'address' | 'balanceWei'>
    readonly clock: Clock
    readonly log: Logger
    readonly metrics?: Metrics
  },
): BalanceWatch {
  const { account, clock, log } = deps
  const gauge = deps.metrics?.gauge('l1_balance_gwei', 'What the L1 account has left, in gwei')
  const lowGauge = deps.metrics?.gauge('l1_balance_low', '1 while the L1 account should be funded')
  const stopping = new AbortController()
  let balanceWei: bigint | null = null
  let low = false
  let loop: Promise<void> = Promise.resolve()

  async function step(): Promise<void> {
    const found = await account.balanceWei()
    balanceWei = found
    gauge?.set(Number(found / WEI_PER_GWEI))
    const isLow = found < options.lowWei
    lowGauge?.set(isLow ? 1 : 0)
    const fields = { account: account.address, balanceWei: found, lowWei: options.lowWei }
    if (isLow && !low) log.warn('the L1 account is running out of funds', fields)
    if (!isLow && low) log.info('the L1 account has funds again', fields)
    low = isLow
  }

  return {
    name: 'balance watch',
    step,
    get balanceWei() {
      return balanceWei
    },
    async start() {
      const run = async () => {
        while (!stopping.signal.aborted) {
          await step().catch((error: unknown) => log.debug('the balance of the L1 account is not to be had', { error }))
          await clock.sleep(options.intervalMs ?? DEFAULT_INTERVAL_MS, stopping.signal).catch(() => undefined)
        }
      }
      loop = run()
    },
    async stop() {
      stopping.abort()
      await Promise.race([loop, Promise.resolve()])
    },
  }
}
