/** The block time must divide an hour. */

import { DEFAULT_DEVNET_PARAMETERS } from '@keelson/devnet/genesis'
import { option, optionParsers as parse } from '@keelson/runtime'

const HOUR_SEC = 3_600
const MOST_SEC = 60

const dividesAnHour = Object.assign(
  (value: unknown): number => {
    const seconds = parse.integer(1, MOST_SEC)(value)
    if (HOUR_SEC % seconds === 0) return seconds
    throw new parse.OptionValueError(`expected seconds that divide an hour, such as 1, 2 or 4, got ${seconds}`)
  },
  { placeholder: '<seconds>', schema: parse.integer(1, MOST_SEC).schema },
)

export const blockTimeOption = option({
  key: 'network.blockTime',
  flag: 'block-time',
  parse: dividesAnHour,
  default: DEFAULT_DEVNET_PARAMETERS.l2BlockTimeSec,
  description: 'Seconds between L2 blocks. Hours and days of staking keep their real length.',
})
