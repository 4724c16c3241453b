/**
 * Rate limits of the networks around callers who are known by their address alone: the holder of a /48 has 65,536 addresses
 * that count as callers of their own (`subscriberOf`), and would otherwise have as many times the rate of one.
 */
import type { Clock } from '@keelson/primitives'
import { type CallerNetwork, NETWORK_LEVELS, type NetworkLevel, networksOf } from '../../http/caller-networks.ts'
import type { TokenBucketOptions } from '../../token-bucket.ts'
import { type ClientBudgets, createClientBudgets } from './client-budgets.ts'

/** A network has the rate and the burst of so many callers. */
export const CALLERS_OF_A_NETWORK: Readonly<Record<NetworkLevel, number>> = { site: 4, network: 16, provider: 64 }

/**
 * The budgets of callers, by `subscriberOf`, each of which draws on those of its networks as well: `take` takes from all of
 * them or from none. Each level forgets its networks by itself, so that many callers of one network do not renew it.
 */
export function createNetworkBudgets(callers: ClientBudgets, clock: Clock, maxNetworks: number): Pick<ClientBudgets, 'take' | 'charge'> {
  const levels = Object.fromEntries(NETWORK_LEVELS.map((level) => [level, createClientBudgets(clock, maxNetworks)])) as Readonly<
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
