/** Requests that Node's parser refuses, before anything else sees them. */
import type { Socket } from 'node:net'
import { type AllowedMethods, type HttpFault, malformed, methodFault, transferFault, versionFault } from './request-fault.ts'

/** An error of the event clientError. */
export interface ParseError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Buffer
}

export interface ParseFaultOptions {
  readonly allowed: AllowedMethods
  readonly maxHeadBytes: number
}

/** RFC 9112 section 3, with a method of RFC 9110 section 5.6.2. */
const REQUEST_LINE = /^(?:\r?\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) ([!-~]{1,8000}) HTTP\/1\.[01]\r?\n/
const SHOWN_BYTES = 8_192

/** Null when nobody waits for an answer. */
export function parseFault(error: ParseError, socket: Socket, { allowed, maxHeadBytes }: ParseFaultOptions): HttpFault | null {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return null
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { kind: 'too-long', status: 431, message: `the path and the headers are longer than ${maxHeadBytes} bytes` }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { kind: 'too-long', status: 413, message: 'the chunk extensions are too long' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { kind: 'too-slow', status: 408, message: 'the request did not arrive in time' }
    case 'HPE_PAUSED_H2_UPGRADE':
      return versionFault('2')
    case 'HPE_INVALID_TRANSFER_ENCODING':
      // Node reports a coding that it does not know and a length beside the coding with one code.
      return /Content-Length/i.test(error.reason ?? '') ? notHttp(error) : transferFault('of the request')
    case 'HPE_INVALID_METHOD':
      return unknownMethod(error, allowed) ?? notHttp(error)
    default:
      return notHttp(error)
  }
}

function unknownMethod({ rawPacket }: ParseError, allowed: AllowedMethods): HttpFault | null {
  const line = REQUEST_LINE.exec(rawPacket?.toString('latin1', 0, SHOWN_BYTES) ?? '')
  if (line === null) return null
  const [, method = '', target = ''] = line
  return methodFault(method, target, allowed)
}

function notHttp({ reason }: ParseError): HttpFault {
  return malformed(`the request is not valid HTTP/1.1${reason === undefined || reason === '' ? '' : `: ${reason}`}`)
}
