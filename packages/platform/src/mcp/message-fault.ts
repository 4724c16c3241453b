/**
 * Finds why a message is not valid in this protocol. The SDK drops such a message without an answer, so this checks it
 * against the SDK's own schemas first.
 */
import { JSONRPCNotificationSchema, JSONRPCRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { McpMessage } from '../schemas/mcp.ts'
import { ProtocolFailure } from './protocol-failure.ts'

const MAX_NAMES = 5
const MAX_NAME = 64

/** Returns -32600 for an unknown field, -32602 for invalid params, and null for a valid message. */
export function messageFault(message: McpMessage): ProtocolFailure | null {
  const schema = message.id === undefined ? JSONRPCNotificationSchema : JSONRPCRequestSchema
  const judged = schema.safeParse({ ...message, jsonrpc: '2.0' })
  if (judged.success) return null
  const [issue] = judged.error.issues
  if (issue?.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, MAX_NAMES).map((name) => JSON.stringify(name.slice(0, MAX_NAME)))
    const expected = 'a message has jsonrpc, id, method and params only'
    return new ProtocolFailure('invalid-request', `Invalid request: unknown field ${names.join(', ')}; ${expected}`)
  }
  const where = issue?.path.map(String).join('.') ?? ''
  const kind = issue?.path[0] === 'params' ? 'invalid-params' : 'invalid-request'
  const what = kind === 'invalid-params' ? 'Invalid params' : 'Invalid request'
  return new ProtocolFailure(kind, `${what}: ${where}: ${issue?.message ?? 'it cannot be read'}`)
}
