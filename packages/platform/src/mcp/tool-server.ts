import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { GuardedTransport } from './guarded-transport.ts'
import type { McpUser, ToolCalls } from './tool-calls.ts'

const jsonSchemaValidator = new AjvJsonSchemaValidator()

const INSTRUCTIONS =
  'Tools for a rollup and related sources: balances, prices, quotes, blocks, risk, DeFi data. Each result is JSON and names its ' +
  'sources. Tools marked destructive move money and, like some others, need the token of a session.'

export interface ToolServerDependencies {
  readonly version: string
  readonly calls: ToolCalls
}

export async function connectToolServer(
  user: McpUser,
  transport: Transport,
  { version, calls }: ToolServerDependencies,
): Promise<GuardedTransport> {
  const server = new Server(
    { name: 'keelson-agent-platform', title: 'Keelson agent platform', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...calls.list(user)] }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => calls.call(user, params.name, params.arguments, signal))
  const guard = new GuardedTransport(transport, calls.movesMoney)
  await server.connect(guard)
  // Node reports thousands of listeners on one signal as a leak
  const stop = AbortSignal.any([user.stopping])
  const close = () => void guard.close()
  if (stop.aborted) close()
  else stop.addEventListener('abort', close, { once: true })
  return guard
}
