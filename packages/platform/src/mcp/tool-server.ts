/** The SDK's server for one client: what it says of itself, and the tools that this client may see. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { type McpConnection, openConnection } from './connection.ts'
import type { McpUser, ToolCalls } from './tool-calls.ts'

/** Judges what clients fill in, which none is asked to; made anew by every server unless it is given one. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

const INSTRUCTIONS =
  'Tools over a rollup and its neighbours: balances, prices, quotes, blocks, risk, DeFi data. Each result is JSON and names its ' +
  'sources. Tools marked destructive move money and need the token of a session, as some of the others do.'

export interface ToolServerDependencies {
  readonly version: string
  readonly calls: ToolCalls
}

/** Ends when the server stops. */
export function connectToolServer(user: McpUser, { version, calls }: ToolServerDependencies): Promise<McpConnection> {
  const server = new Server(
    { name: 'keelson-agent-platform', title: 'Keelson agent platform', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
  )
  server.setRequestHandler(ListToolsRequestSchema, (): ListToolsResult => ({ tools: [...calls.list(user)] }))
  server.setRequestHandler(
    CallToolRequestSchema,
    ({ params }, { signal }): Promise<CallToolResult> => calls.call(user, params.name, params.arguments, signal),
  )
  return openConnection({ connect: (transport) => server.connect(transport), movesMoney: calls.movesMoney, stopping: user.stopping })
}
