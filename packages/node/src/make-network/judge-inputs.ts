import type { Fork } from '@keelson/chainspec'
import {
  DEV_ACCOUNTS,
  DEV_ROLES,
  type NetworkParameters,
  type NetworkRoles,
  type StakingParameters,
  stakingPeriodMistakes,
} from '@keelson/devnet/genesis'
import { type Address, ZERO_ADDRESS } from '@keelson/primitives'
import { PUBLIC_CHAINS } from './known-chains.ts'
import type { NetworkL1Addresses } from './network-inputs.ts'
import { DEFAULT_CHAIN_IDS, type Preset } from './presets.ts'

const PUBLIC_KEYS: ReadonlySet<Address> = new Set([...DEV_ACCOUNTS, ...Object.values(DEV_ROLES)].map(({ address }) => address))
/** Chain IDs are JSON numbers in the network's files. */
const MAX_CHAIN_ID = BigInt(Number.MAX_SAFE_INTEGER)
const ROLE_NAMES = ['admin', 'batcher', 'proposer', 'sequencer'] as const satisfies readonly (keyof NetworkRoles)[]
/** SystemConfig minimum: 20 million gas for deposits and one million for L1 info. */
const LEAST_GAS_LIMIT = 21_000_000n
const MOST_GAS_LIMIT = 200_000_000n
const MOST_SEATS = 1_000
/** Fork of new networks, then that of earlier releases' network.json. */
const FIRST_FORKS: readonly Fork[] = ['karst', 'jovian']

export interface Judged {
  readonly preset: Preset
  readonly parameters: NetworkParameters
  readonly allowSameChainId: boolean
}

export function inputMistakes({ preset, parameters, allowSameChainId }: Judged): readonly string[] {
  return [
    ...chainIdMistakes(preset, parameters, allowSameChainId),
    ...roleMistakes(preset, parameters),
    ...parameterMistakes(parameters),
    ...stakingMistakes(parameters.staking),
  ]
}

export function isPublicKey(address: Address): boolean {
  return PUBLIC_KEYS.has(address)
}

export function inputWarnings({ preset, parameters }: Judged): readonly string[] {
  const { l1ChainId, l2ChainId } = parameters
  const owner = PUBLIC_CHAINS.get(l2ChainId)
  const shared = l1ChainId === l2ChainId
  return [
    ...(owner !== undefined && preset !== 'main'
      ? [
          `chain id ${l2ChainId} also belongs to ${owner}: a signature for one chain is valid on the other, so use keys that own nothing there`,
        ]
      : []),
    ...(shared ? [`L1 and L2 have the same chain id ${l2ChainId}: a transaction for one can be replayed on the other`] : []),
  ]
}

function chainIdMistakes(preset: Preset, { l1ChainId, l2ChainId }: NetworkParameters, allowSame: boolean): readonly string[] {
  if (l2ChainId < 1n || l2ChainId > MAX_CHAIN_ID) return [`--chain-id ${l2ChainId}: expected a whole number from 1 to ${MAX_CHAIN_ID}`]
  if (l1ChainId === l2ChainId && !allowSame) {
    return [`--chain-id ${l2ChainId} is the chain id of L1: transactions could be replayed; give another one (or --allow-same-chain-id)`]
  }
  const owner = PUBLIC_CHAINS.get(l2ChainId)
  if (owner === undefined || l2ChainId === DEFAULT_CHAIN_IDS[preset] || (l1ChainId === l2ChainId && allowSame)) return []
  return [`--chain-id ${l2ChainId} belongs to ${owner}: transactions could be replayed there; give an id that no public chain has`]
}

function roleMistakes(preset: Preset, { roles }: NetworkParameters): readonly string[] {
  const mistakes = ROLE_NAMES.flatMap((name) => {
    const address = roles[name]
    if (address === ZERO_ADDRESS) return [`--${name} ${address}: expected an account, got the zero address`]
    if (preset !== 'devnet' && isPublicKey(address))
      return [`--${name} ${address}: the key of this account is published with the development network; expected an account of your own`]
    return []
  })
  if (roles.batcher === roles.proposer)
    mistakes.push(`--batcher and --proposer are both ${roles.batcher}: each sends with nonces of its own, so give two accounts`)
  return mistakes
}

function parameterMistakes(p: NetworkParameters): readonly string[] {
  const mistakes: string[] = []
  const atLeast = (name: keyof NetworkParameters, least: bigint) => {
    if (BigInt(p[name] as number | bigint) < least) mistakes.push(`${name}: expected at least ${least}, got ${p[name]}`)
  }
  if (!FIRST_FORKS.includes(p.fork)) mistakes.push(`fork: expected ${FIRST_FORKS.join(' or ')}, got "${p.fork}"`)
  if (p.batchInbox === ZERO_ADDRESS) mistakes.push(`batchInbox: expected an address without a known key, got the zero address`)
  if (Object.values(p.roles).includes(p.batchInbox)) mistakes.push(`batchInbox: ${p.batchInbox} is the account of a role`)
  atLeast('l1ChainId', 1n)
  atLeast('l2GasLimit', LEAST_GAS_LIMIT)
  if (p.l2GasLimit > MOST_GAS_LIMIT) mistakes.push(`l2GasLimit: expected at most ${MOST_GAS_LIMIT}, got ${p.l2GasLimit}`)
  for (const name of ['l2BlockTimeSec', 'maxSequencerDriftSec', 'sequencingWindowL1Blocks', 'channelTimeoutL1Blocks'] as const)
    atLeast(name, 1n)
  for (const name of ['submissionIntervalBlocks', 'finalizationPeriodSec'] as const) atLeast(name, 1n)
  return mistakes
}

function stakingMistakes(p: StakingParameters): readonly string[] {
  const { epochBlocks, graceBlocks, seats, minimumStakeWei } = p
  if (epochBlocks === 0) return ['staking.epochBlocks: expected at least 1, got 0']
  return [
    ...(graceBlocks < epochBlocks
      ? []
      : [`staking.graceBlocks: expected less than the ${epochBlocks} blocks of an epoch, got ${graceBlocks}`]),
    ...(seats >= 1 && seats <= MOST_SEATS ? [] : [`staking.seats: expected 1 to ${MOST_SEATS}, got ${seats}`]),
    ...(minimumStakeWei > 0n ? [] : ['staking.minimumStakeWei: expected at least 1, got 0']),
    ...stakingPeriodMistakes(p).map(([name, words]) => `staking.${name}: ${words}`),
  ]
}

export function addressMistakes(addresses: NetworkL1Addresses): readonly string[] {
  const seen = new Map<Address, string>()
  return Object.entries(addresses).flatMap(([name, address]: [string, Address]) => {
    const other = seen.get(address)
    seen.set(address, name)
    if (address === ZERO_ADDRESS) return [`${name}: expected a contract on L1, got the zero address`]
    return other === undefined ? [] : [`${name} and ${other} are both ${address}: expected two contracts`]
  })
}
