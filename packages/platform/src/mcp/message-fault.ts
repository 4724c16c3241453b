/** The SDK does not say which message of a batch is invalid. */
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpMessage } from '../schemas/mcp.ts'
import { ProtocolFailure } from './protocol-failure.ts'

const REQUESTS = new Map(
  Object.entries({ initialize: InitializeRequestSchema, 'tools/list': ListToolsRequestSchema, 'tools/call': CallToolRequestSchema }),
)
const MAX_NAMES = 5
const MAX_NAME = 64

export function messageFault(message: McpMessage): ProtocolFailure | null {
  const whole = { ...message, jsonrpc: '2.0' }
  const schema = message.id === undefined ? JSONRPCNotificationSchema : JSONRPCRequestSchema
  const issue = schema.safeParse(whole).error?.issues[0] ?? REQUESTS.get(message.method)?.safeParse(whole).error?.issues[0]
  if (issue === undefined) return null
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const names = issue.keys.slice(0, MAX_NAMES).map((name) => JSON.stringify(name.slice(0, MAX_NAME)))
    const expected = 'a message has jsonrpc, id, method and params only'
    return new ProtocolFailure('invalid-request', `Invalid request: unknown field ${names.join(', ')}; ${expected}`)
  }
  const kind = issue.path[0] === 'params' ? 'invalid-params' : 'invalid-request'
  const what = kind === 'invalid-params' ? `Invalid params of ${message.method}` : 'Invalid request'
  return new ProtocolFailure(kind, `${what}: ${issue.path.map(String).join('.')}: ${issue.message}`)
}
