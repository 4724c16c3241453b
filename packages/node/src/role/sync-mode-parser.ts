import { optionParsers as parse } from '@keelson/runtime'

const MODES = {
  execution: ['full', 'snap', 'none'],
  consensus: ['consensus-layer', 'execution-layer'],
} as const

type Client = keyof typeof MODES

/** The modes of --syncmode. Both clients have that option, and so one environment variable, with other values. */
export function syncModeParser<C extends Client>(client: C): parse.Parser<(typeof MODES)[C][number]> {
  const own = parse.oneOf(...(MODES[client] as readonly (typeof MODES)[C][number][]))
  const other: Client = client === 'execution' ? 'consensus' : 'execution'
  const read = (value: unknown) => {
    if (!(MODES[other] as readonly unknown[]).includes(value)) return own(value)
    throw new parse.OptionValueError(
      `expected one of ${MODES[client].join(', ')}, got "${String(value)}", which is a mode of the ${other} client: both read KEELSON_SYNCMODE, so set it for each process alone, or give --syncmode`,
    )
  }
  return Object.assign(read, { ...own })
}
