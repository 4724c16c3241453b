import { PLATFORM } from '../../data/platform/ask.ts'

/** Where clients of the Model Context Protocol reach the platform through these pages. */
export function mcpUrl(): string {
  return `${location.origin}${PLATFORM}/mcp`
}
