import type { Logger } from '@keelson/primitives'

const ignore = () => undefined
export const SILENT_LOGGER: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => SILENT_LOGGER }
