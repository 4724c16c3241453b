import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readNetworkJson, readPublicNetwork } from '../../packages/devnet/src/network-files/network-files.ts'
import type { PublicNetwork } from '../../packages/devnet/src/network-files/public-network.ts'
import { networksFolder, shippedNetworks } from '../../packages/node/src/networks/shipped-networks.ts'

type Json = Readonly<Record<string, unknown>>

export interface ShippedNetwork {
  readonly name: string
  readonly rollup: Json
  readonly addresses: Json
  readonly network: PublicNetwork
}

export interface Shipped {
  readonly networks: readonly ShippedNetwork[]
  readonly leftOut: Readonly<Record<string, string>>
}

export function readShipped(): Shipped {
  const networks = shippedNetworks().flatMap((name): ShippedNetwork[] => {
    const folder = join(networksFolder(), name)
    const network = readPublicNetwork(folder)
    if (network === null) return []
    return [
      {
        name,
        rollup: readNetworkJson(folder, 'rollup.json') as Json,
        addresses: readNetworkJson(folder, 'addresses.json') as Json,
        network,
      },
    ]
  })
  const leftOut = JSON.parse(readFileSync(join(networksFolder(), 'left-out.json'), 'utf8')) as Record<string, string>
  return { networks, leftOut }
}
