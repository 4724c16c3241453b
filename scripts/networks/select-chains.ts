import type { RegistryChain } from './registry-chain.ts'

const OWN_NAMES: Readonly<Record<string, string>> = { 'sepolia/soneium-minato': 'soneium-minato' }

/** A registry entry without this fork is out of date. */
const NEWEST_COMMON_FORK = 'jovian'

/** The common rules do not produce these chains; their operators run a patched op-node. */
const OWN_RULES: Readonly<Record<string, string>> = {
  'sepolia/lisk':
    'its L1 has a ConfigUpdate event before Holocene that only a patched op-node ignores (op-node-lisk-sepolia.patch of LiskHQ/lisk-node)',
}

export function networkName({ id }: Pick<RegistryChain, 'id'>): string {
  const [superchain, chain] = id.split('/')
  return OWN_NAMES[id] ?? `${chain}-${superchain}`
}

/** Returns the reason as the rest of a sentence, or null. */
export function reasonToLeaveOut(chain: RegistryChain): string | null {
  if (chain.dataAvailability !== 'eth-da') return `its data is not on L1 (${chain.dataAvailability})`
  if (chain.gasPayingToken !== null) return `gas is paid in the token ${chain.gasPayingToken}`
  if (chain.id in OWN_RULES) return OWN_RULES[chain.id] as string
  if (`${NEWEST_COMMON_FORK}_time` in chain.hardforks) return null
  const newest = Object.keys(chain.hardforks)
    .filter((key) => key.endsWith('_time') && key !== 'pectra_blob_schedule_time')
    .at(-1)
  const last = newest === undefined ? 'lists no fork' : `ends at ${newest.slice(0, -'_time'.length)}`
  return `the registry's entry ${last}, so it does not say which rules the chain follows since ${NEWEST_COMMON_FORK}`
}
