/** Without limits on networks each of the 65,536 /64s of one /48 would have a full rate. */
import { type CallerNetwork, NETWORK_LEVELS, type NetworkLevel, networksOf } from '../../http/caller-networks.ts'
import type { TokenBucketOptions } from '../../token-bucket.ts'
import type { ClientBudgets } from './client-budgets.ts'

/** A network's rate, as a multiple of one caller's. */
export const CALLERS_OF_A_NETWORK: Readonly<Record<NetworkLevel, number>> = { site: 4, network: 16, provider: 64 }

/**
 * Takes from the caller and all its networks, or from none. Levels evict separately, so many callers cannot renew their network's
 * budget.
 */
export function createNetworkBudgets(
  callers: ClientBudgets,
  openBudgets: (level: NetworkLevel) => ClientBudgets,
): Pick<ClientBudgets, 'take' | 'charge'> {
  const levels = Object.fromEntries(NETWORK_LEVELS.map((level) => [level, openBudgets(level)])) as Readonly<
    Record<NetworkLevel, ClientBudgets>
  >
  const chargeNetwork = ({ level, name }: CallerNetwork, rate: TokenBucketOptions, tokens: number) =>
    levels[level].charge(name, rateOf(level, rate), tokens)

  return {
    take(client, rate, calls) {
      const waitMs = callers.take(client, rate, calls)
      if (waitMs > 0) return waitMs
      const taken: CallerNetwork[] = []
      for (const network of networksOf(client)) {
        const { level, name } = network
        const networkWaitMs = levels[level].take(name, rateOf(level, rate), calls)
        if (networkWaitMs > 0) {
          callers.charge(client, rate, -calls)
          for (const other of taken) chargeNetwork(other, rate, -calls)
          return networkWaitMs
        }
        taken.push(network)
      }
      return 0
    },
    charge(client, rate, tokens) {
      callers.charge(client, rate, tokens)
      for (const network of networksOf(client)) chargeNetwork(network, rate, tokens)
    },
  }
}

function rateOf(level: NetworkLevel, { perSec, burst }: TokenBucketOptions): TokenBucketOptions {
  const callers = CALLERS_OF_A_NETWORK[level]
  return { perSec: perSec * callers, burst: burst * callers }
}
