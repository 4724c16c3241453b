import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type EarlyMistake = 'path' | 'too-long' | 'too-slow' | 'not-http'

interface Early {
  readonly status: string
  readonly mistake: EarlyMistake
}

const MALFORMED: Early = { status: '400 Bad Request', mistake: 'not-http' }
const BY_CODE: Readonly<Record<string, Early>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', mistake: 'too-long' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', mistake: 'too-slow' },
}

export function earlyErrors(refusal: (mistake: EarlyMistake) => object) {
  return {
    frameworkErrors(_error: Error, _request: FastifyRequest, reply: FastifyReply): void {
      reply.code(400).header('cache-control', 'no-store').send(refusal('path'))
    },
    clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
      if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
      const { status, mistake } = BY_CODE[error.code ?? ''] ?? MALFORMED
      const body = JSON.stringify(refusal(mistake))
      const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`
      socket.end(`${head}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`)
    },
  }
}
