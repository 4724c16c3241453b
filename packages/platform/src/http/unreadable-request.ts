/** Answers requests that the HTTP parser rejects, before authentication and rate limits. */
import type { Socket } from 'node:net'

export const MAX_HEAD_BYTES = 16_384

interface Refusal {
  readonly status: string
  readonly detail: string
}

const MALFORMED: Refusal = { status: '400 Bad Request', detail: 'The request is not valid HTTP/1.1' }
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: `The address and headers of the request are longer than ${MAX_HEAD_BYTES} bytes together`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request did not arrive in time' },
}

export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const { status, detail } = REFUSALS[error.code ?? ''] ?? MALFORMED
  const body = JSON.stringify({ detail })
  const head = [`HTTP/1.1 ${status}`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, 'connection: close']
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
