/** The index and the bridge answer requests that reach no route with these bodies. */
import type { HttpFault, RenderFault } from '@keelson/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'

const CODES: Partial<Readonly<Record<HttpFault['kind'], string>>> = { method: 'method-not-allowed', path: 'not-found' }

export function renderFaults(expected: string): RenderFault {
  return ({ kind, message }) => jsonBody({ error: CODES[kind] ?? 'bad-request', message, expected })
}

export function jsonBody(body: object) {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(body) }
}

/** For Fastify's `frameworkErrors`. */
export function refuseUndecodable(refusal: object) {
  return (_error: Error, _request: FastifyRequest, reply: FastifyReply): void => {
    reply.code(400).header('cache-control', 'no-store').send(refusal)
  }
}
