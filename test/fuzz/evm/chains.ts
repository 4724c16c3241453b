/** L1 forks, and OP forks that change the EVM or its precompiles. */
import {
  type BlockRules,
  createForkSchedule,
  ETH_FORKS,
  FORKS,
  type Fork,
  type ForkTimes,
  forksUpTo,
  l1ForkRules,
} from '@keelson/chainspec'
import { l2Time } from '@keelson/primitives'

export type ChainName = string

const UNSUPPORTED = 'amsterdam'
const opForks: readonly Fork[] = forksUpTo('lagoon')

export const CHAINS: readonly ChainName[] = [
  ...ETH_FORKS.filter((fork) => fork !== UNSUPPORTED).map((fork) => `l1/${fork}`),
  ...opForks.map((fork) => `op/${fork}`),
]

const known = new Map<ChainName, BlockRules>()

export function rulesOf(chain: ChainName): BlockRules {
  const rules = known.get(chain) ?? createRules(chain)
  known.set(chain, rules)
  return rules
}

function createRules(chain: ChainName): BlockRules {
  const [kind, name] = chain.split('/')
  if (!CHAINS.includes(chain)) throw new Error(`unknown chain ${chain}; expected one of ${CHAINS.join(', ')}`)
  if (kind === 'l1') return l1ForkRules(ETH_FORKS.find((fork) => fork === name) ?? 'frontier')
  const active = new Set<Fork>(forksUpTo(FORKS.find((fork) => fork === name) ?? 'bedrock'))
  const times = Object.fromEntries(FORKS.map((fork) => [fork, active.has(fork) ? 0 : null]))
  return createForkSchedule({ times: times as ForkTimes }).blockRules(l2Time(0))
}
