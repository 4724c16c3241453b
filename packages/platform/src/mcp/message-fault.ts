/**
 * Why a message is not one of JSON-RPC as this protocol has it. The SDK drops such a message without an answer, so it is
 * judged here by the SDK's own schemas before it is passed on.
 */
import { JSONRPCNotificationSchema, JSONRPCRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { McpMessage } from '../schemas/mcp.ts'
import { ProtocolFailure } from './protocol-failure.ts'

const MAX_NAMES = 5
const MAX_NAME = 64

/** -32600 for a field that no message has, -32602 for params that no method takes; null for a message that can be read. */
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
