import { OWN_CONTRACTS } from '@keelson/contracts'
import { option, optionParsers as parse } from '@keelson/runtime'

export const stakingOptions = {
  stakingContract: option({
    key: 'staking.contract',
    parse: parse.address,
    default: OWN_CONTRACTS.Staking,
    description: "Staking contract on L2. Where it has code, validators' attestations are gossiped and offences looked for.",
  }),
} as const
