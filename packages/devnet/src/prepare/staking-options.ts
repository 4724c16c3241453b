import { optionalOption, optionParsers as parse } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'
import { DEFAULT_DEVNET_PARAMETERS } from '../genesis/devnet/devnet-parameters.ts'
import { type StakingParameters, stakingPeriodMistakes } from '../genesis/staking-parameters.ts'

const DEFAULTS = DEFAULT_DEVNET_PARAMETERS.staking
const MAX_BLOCKS = 2 ** 32 - 1

const NAMES = ['hourBlocks', 'dayBlocks', 'evidenceBlocks', 'unbondingBlocks'] as const
type StakingPeriod = (typeof NAMES)[number]

export type StakingChoice = Readonly<Record<`staking${Capitalize<StakingPeriod>}`, number | null>>

const period = (key: `staking.${StakingPeriod}`, description: string, defaultBlocks: number) =>
  optionalOption({
    key,
    parse: parse.integer(1, MAX_BLOCKS),
    description: `${description}, chosen with a new chain. Default: ${defaultBlocks}.`,
  })

const perEpoch = `a multiple of ${DEFAULTS.epochBlocks}`

export const stakingOptions = {
  stakingHourBlocks: period('staking.hourBlocks', `L2 blocks that count as an hour of late attestations, ${perEpoch}`, DEFAULTS.hourBlocks),
  stakingDayBlocks: period('staking.dayBlocks', `L2 blocks that count as a day of a validator's silence, ${perEpoch}`, DEFAULTS.dayBlocks),
  stakingEvidenceBlocks: period(
    'staking.evidenceBlocks',
    'L2 blocks in which a wrong attestation can be reported',
    DEFAULTS.evidenceBlocks,
  ),
  stakingUnbondingBlocks: period('staking.unbondingBlocks', 'L2 blocks until stake asked back can be had', DEFAULTS.unbondingBlocks),
} as const

export function chosenStaking(choice: Partial<StakingChoice>): Partial<StakingParameters> {
  const chosen = NAMES.map((name) => [name, choice[optionName(name)] ?? null] as const)
  return Object.fromEntries(chosen.filter(([, blocks]) => blocks !== null))
}

export function stakingFlag(name: string): string {
  return `--staking.${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** Throws DevnetError `node/usage` for periods that the contract rejects. */
export function stakingOf(choice: Partial<StakingChoice>): StakingParameters {
  const staking = { ...DEFAULTS, ...chosenStaking(choice) }
  const [mistake] = stakingPeriodMistakes(staking)
  if (mistake !== undefined) throw new DevnetError('node/usage', `${stakingFlag(mistake[0])}: ${mistake[1]}`)
  return staking
}

function optionName(name: StakingPeriod): keyof StakingChoice {
  return `staking${name[0]?.toUpperCase()}${name.slice(1)}` as keyof StakingChoice
}
