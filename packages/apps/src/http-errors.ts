import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type EarlyMistake = 'path' | 'too-long' | 'not-http'

export function earlyErrors(refusal: (mistake: EarlyMistake) => object) {
  return {
    frameworkErrors(_error: Error, _request: FastifyRequest, reply: FastifyReply): void {
      reply.code(400).header('cache-control', 'no-store').send(refusal('path'))
    },
    clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
      if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
      const tooLong = error.code === 'HPE_HEADER_OVERFLOW'
      const [status, words] = tooLong ? ([431, 'Request Header Fields Too Large'] as const) : ([400, 'Bad Request'] as const)
      const body = JSON.stringify(refusal(tooLong ? 'too-long' : 'not-http'))
      const head = `HTTP/1.1 ${status} ${words}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`
      socket.end(`${head}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`)
    },
  }
}
