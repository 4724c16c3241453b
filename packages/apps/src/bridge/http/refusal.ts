import { isHex } from '@keelson/primitives'
import type { FastifyReply } from 'fastify'

export interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly expected: string
}

export const HASH = 'the hash of a transaction, of L1 for a deposit, of L2 for a withdrawal: 0x and 64 hex digits'
export const PATHS = 'GET /api/status/{l1_tx_hash}, GET /api/withdrawals/{l2_tx_hash} or GET /health'

export function refuse(reply: FastifyReply, status: number, body: ErrorBody): FastifyReply {
  return reply.code(status).send(body)
}

export function malformedHash(given: string): ErrorBody {
  const got = given.length > 80 ? `${given.length} characters` : given === '' ? 'nothing' : `"${given.replace(/[^\x20-\x7e]/g, '?')}"`
  const hint = /^[0-9a-fA-F]{64}$/.test(given) ? ' (0x is missing)' : isHex(given) ? ` (${given.length - 2} digits)` : ''
  return { error: 'malformed-hash', message: `got ${got}${hint}`, expected: HASH }
}
