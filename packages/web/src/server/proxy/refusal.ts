import type { FastifyReply } from 'fastify'
import { DATA_HEADERS } from '../security-headers.ts'

/** The form that the services behind this server use, too. */
export function refuse(reply: FastifyReply, status: number, error: string, message: string, expected: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...DATA_HEADERS, 'cache-control': 'no-store' })
    .send({ error, message, expected })
}
