import type { Chains, StandIns } from '@keelson/platform'
import type { Clock, Logger, Random } from '@keelson/primitives'
import { createLocalBitcoin } from './bitcoin-chain.ts'
import { createStandInRoutes } from './routes.ts'

export interface StandInDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

export function openStandIns({ main }: Pick<Chains, 'main'>, deps: StandInDependencies): StandIns {
  return { routes: createStandInRoutes({ chain: main, ...deps }), latestBitcoinBlock: createLocalBitcoin(main).latestBlock }
}
