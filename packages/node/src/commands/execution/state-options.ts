import { DEFAULT_EXECUTION_OPTIONS, type ExecutionNodeOptions } from '@keelson/execution'
import { type OptionValues, option, optionParsers as parse } from '@keelson/runtime'

const SECOND_MS = 1000
const DAY_MS = 86_400_000

export const stateOptions = {
  stateMode: option({
    key: 'state.mode',
    parse: parse.oneOf('full', 'archive'),
    default: 'full',
    description: 'full keeps past state for the window and prunes it while running; archive keeps all of it from now on.',
  }),
  stateWindow: option({
    key: 'state.window',
    parse: parse.duration(SECOND_MS, 10_000 * DAY_MS),
    default: 7 * DAY_MS,
    description: 'How far back state is read and proved (eth_getProof), in mode full.',
  }),
  stateHistoryMaxBytes: option({
    key: 'state.historyMaxBytes',
    parse: parse.byteSize,
    default: DEFAULT_EXECUTION_OPTIONS.state.historyBytes,
    description: 'Past state takes at most this much, in mode full; a window that needs more becomes shorter.',
  }),
} as const

export function stateLimits(values: OptionValues<typeof stateOptions>, blockTimeSec: number): ExecutionNodeOptions['state'] {
  const { state } = DEFAULT_EXECUTION_OPTIONS
  if (values.stateMode === 'archive') {
    return { ...state, historyBlocks: Number.POSITIVE_INFINITY, historyBytes: Number.POSITIVE_INFINITY }
  }
  const historyBlocks = Math.ceil(values.stateWindow / SECOND_MS / blockTimeSec)
  return { ...state, historyBlocks, historyBytes: values.stateHistoryMaxBytes }
}
