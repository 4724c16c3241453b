import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { type PublicNetwork, readPublicNetwork, readRollupConfig } from '@keelson/devnet/network-files'
import { networksFolder, shippedNetworks } from './shipped-networks.ts'

export interface ShippedNetwork {
  readonly name: string
  readonly rollup: RollupConfig
  readonly facts: PublicNetwork
}

export function findShipped({ l2ChainId, genesis }: Pick<RollupConfig, 'l2ChainId' | 'genesis'>): ShippedNetwork | null {
  for (const name of shippedNetworks()) {
    const folder = join(networksFolder(), name)
    const rollup = readRollupConfig(folder)
    if (rollup.l2ChainId !== l2ChainId || rollup.genesis.l2.hash !== genesis.l2.hash) continue
    const facts = readPublicNetwork(folder)
    if (facts !== null) return { name, rollup, facts }
  }
  return null
}
