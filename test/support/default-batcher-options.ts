import { type BatcherOptions, batcherOptions } from '@keelson/batcher'

/** The options' own defaults, which the command line would apply. */
export const DEFAULT_BATCHER_OPTIONS = Object.fromEntries(
  Object.entries(batcherOptions).map(([name, definition]) => [name, definition.default]),
) as unknown as BatcherOptions
