/** Which chains of the registry a node of ours can follow, and their names here. */
import type { RegistryChain } from './registry-chain.ts'

/** Folders of config/networks whose name is not `<chain>-<superchain>`. */
const OWN_NAMES: Readonly<Record<string, string>> = { 'sepolia/soneium-minato': 'soneium-minato' }

/**
 * A chain must have scheduled the newest fork that was active in the whole superchain when the selection was made. An entry
 * that ends before it does not say which rules its chain follows today: some chains stayed behind, others upgraded unlisted.
 */
const NEWEST_COMMON_FORK = 'jovian'

/** As op-node names them: `op-sepolia`. */
export function networkName({ id }: Pick<RegistryChain, 'id'>): string {
  const [superchain, chain] = id.split('/')
  return OWN_NAMES[id] ?? `${chain}-${superchain}`
}

/** Why the network is not part of the distribution, as the rest of a sentence; null when it is. */
export function reasonToLeaveOut(chain: RegistryChain): string | null {
  if (chain.dataAvailability !== 'eth-da') return `its data is not on L1 (${chain.dataAvailability})`
  if (chain.gasPayingToken !== null) return `gas is paid in the token ${chain.gasPayingToken}`
  if (`${NEWEST_COMMON_FORK}_time` in chain.hardforks) return null
  const newest = Object.keys(chain.hardforks)
    .filter((key) => key.endsWith('_time') && key !== 'pectra_blob_schedule_time')
    .at(-1)
  const last = newest === undefined ? 'lists no fork' : `ends at ${newest.slice(0, -'_time'.length)}`
  return `the registry's entry ${last}, so it does not say which rules the chain follows since ${NEWEST_COMMON_FORK}`
}
