/** What every request of the tool protocol must keep, whatever its transport. */
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-error.ts'
import type { McpSession } from './mcp-sessions.ts'

export interface RequestRules {
  readonly corsOrigins: readonly string[]
}

/**
 * Throws ApiError. A page of a foreign origin is refused before anything is done, since a name that was made to lead to
 * this host would let it pass as one of ours (DNS rebinding); only browsers send an origin.
 */
export function checkRequest({ headers }: FastifyRequest, { corsOrigins }: RequestRules): void {
  const { origin } = headers
  if (origin !== undefined && !corsOrigins.includes('*') && !corsOrigins.includes(origin))
    throw new ApiError(403, 'Pages of this origin may not use the tool protocol here')
  const version = headers['mcp-protocol-version']
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
    throw new ApiError(400, `Unsupported protocol version: this server takes ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`)
}

export function noSuchSession(): ApiError {
  return new ApiError(404, 'No such session of the tool protocol, or not with this token: open one')
}

/** Throws ApiError 429. */
export function checkCalls({ connection }: McpSession, more: number, callsOfSession: number): void {
  if (connection.asked + more <= callsOfSession) return
  throw new ApiError(429, `Rate limit exceeded: ${callsOfSession} requests of a session at once`, { headers: { 'retry-after': '1' } })
}
