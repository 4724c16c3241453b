import { type BatcherOptions, batcherOptions } from '@keelson/batcher'

export const DEFAULT_BATCHER_OPTIONS = Object.fromEntries(
  Object.entries(batcherOptions).map(([name, definition]) => [name, definition.default]),
) as unknown as BatcherOptions
