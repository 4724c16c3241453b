/** Answers requests that no route sees, before authentication and rate limits. */
import type { RenderFault } from '@keelson/runtime'

export const MAX_HEAD_BYTES = 16_384

export const renderFault: RenderFault = ({ kind, message }) => ({
  type: 'application/json; charset=utf-8',
  body: JSON.stringify({ detail: kind === 'method' ? 'Method Not Allowed' : kind === 'path' ? 'Not Found' : capitalized(message) }),
})

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
