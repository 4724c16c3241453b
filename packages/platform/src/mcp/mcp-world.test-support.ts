import { createManualClock, createSeededRandom, createSilentLogger, type ManualClock } from '@keelson/runtime'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { z } from 'zod'
import { createPlatformServer } from '../http/platform-server.ts'
import { createMemoryRateLimits } from '../http/rate-limit-store.ts'
import type { SessionCaller } from '../http/route.ts'
import { createDefidata } from '../market/defidata/defidata.ts'
import { SourceError } from '../market/source-error.ts'
import { succeeded } from '../market/tool-outcome.ts'
import { createMarketTools } from '../tools/market-tools.ts'
import { publicTool, sessionTool } from '../tools/tool.ts'
import { createToolbox } from '../tools/toolbox.ts'
import { createMcp, type Mcp } from './create-mcp.ts'
import type { McpLimits } from './mcp-limits.ts'

export const ANN = 'ann-token'
export const BOB = 'bob-token'
export const GENESIS_ADDRESS = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'

export const JSON_RPC = { jsonrpc: '2.0' } as const
export const PING = { ...JSON_RPC, id: 1, method: 'ping' }
export const INITIALIZE = {
  ...JSON_RPC,
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
}
export const BOTH = { accept: 'application/json, text/event-stream' }
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export type TransportKind = 'sse' | 'streamable'
export const TRANSPORTS: readonly TransportKind[] = ['sse', 'streamable']

export interface HeldCall {
  readonly signal: AbortSignal
  finish(value: unknown): void
}

export interface McpWorld {
  readonly clock: ManualClock
  readonly mcp: Mcp
  readonly url: string
  readonly callers: Map<string, SessionCaller>
  heldCall(): Promise<HeldCall>
  client(kind: TransportKind, options?: { readonly token?: string }): Promise<Client>
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
  stopServer(): Promise<void>
  stop(): Promise<void>
}

export async function createMcpWorld(
  options: { readonly limits?: Partial<McpLimits>; readonly corsOrigins?: readonly string[]; readonly limitScale?: number } = {},
): Promise<McpWorld> {
  const clock = createManualClock(1_000_000)
  const callers = new Map<string, SessionCaller>([
    [ANN, { tier: 'session', userId: 1, sessionId: 'ann' }],
    [BOB, { tier: 'session', userId: 2, sessionId: 'bob' }],
  ])
  const begun: HeldCall[] = []
  const waiting: ((call: HeldCall) => void)[] = []
  const hold = (signal: AbortSignal) =>
    new Promise<ReturnType<typeof succeeded<unknown>>>((resolve) => {
      const call = { signal, finish: (value: unknown) => resolve(succeeded(value)) }
      const next = waiting.shift()
      if (next === undefined) begun.push(call)
      else next(call)
    })
  const base = { title: 'T', description: 'D', input: z.strictObject({}) } as const
  const unset = { chains: null, pyth: null, readBitcoinBlock: null, readDepositStatus: null, research: null }
  const market = createMarketTools({ ...unset, defidata: createDefidata([]) })
  const toolbox = createToolbox([
    ...market.filter(({ name }) => name.startsWith('bitcoin_')),
    sessionTool({ ...base, name: 'whoami', call: async (_, { caller }) => succeeded(caller) }),
    sessionTool({ ...base, name: 'pay', call: (_, { signal }) => hold(signal) }, 'moves-money'),
    publicTool({ ...base, name: 'held', call: (_, { signal }) => hold(signal) }),
    publicTool({ ...base, name: 'list', call: async () => succeeded([1, 2]) }),
    publicTool({ ...base, name: 'page', call: async () => succeeded('x'.repeat(1_000_000)) }),
    publicTool({ ...base, name: 'big', call: async () => succeeded('x'.repeat(3_000_000)) }),
    publicTool({ ...base, name: 'away', call: () => Promise.reject(new SourceError('feed', 'timeout', 'it hangs')) }),
    publicTool({ ...base, name: 'broken', call: () => Promise.reject(new Error('a secret of the inside')) }),
  ])
  const { corsOrigins = [], limitScale = 1, limits: mcpLimits = {} } = options
  const authenticate = async (token: string) => callers.get(token) ?? null
  const limits = createMemoryRateLimits(clock)
  const log = createSilentLogger()
  const mcp = createMcp(
    { version: '1.2.3', corsOrigins, limitScale, mcpLimits },
    {
      toolbox,
      limits,
      clock,
      log,
      random: createSeededRandom(4),
      isTokenGood: async (authorization) => callers.has(authorization?.replace('Bearer ', '') ?? ''),
      isOutage: () => false,
    },
  )
  const server = await createPlatformServer(
    { host: '127.0.0.1', port: 0, virtualHosts: [], version: '1.2.3', trustedProxies: [], corsOrigins, limitScale },
    { routes: mcp.routes, authenticator: { verify: authenticate, isThere: async () => true }, limits, isOutage: () => false, clock, log },
  )
  const { signal } = new AbortController()
  await mcp.service.start(signal)
  await server.start(signal)
  const clients: Client[] = []
  return {
    clock,
    mcp,
    url: server.url,
    callers,
    heldCall: () => {
      const call = begun.shift()
      return call === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(call)
    },
    async client(kind, { token } = {}) {
      const client = new Client({ name: 'test', version: '0' })
      const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
      clients.push(client)
      // the SDK's types ignore exactOptionalPropertyTypes
      await client.connect(
        (kind === 'sse'
          ? new SSEClientTransport(new URL('/mcp/sse', server.url), { requestInit })
          : new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit })) as Parameters<Client['connect']>[0],
      )
      return client
    },
    post: (path, body, headers = {}) =>
      fetch(new URL(path, server.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    stopServer: () => server.stop(),
    async stop() {
      const stopped = server.stop()
      await clock.advance(5_000)
      await stopped
      await mcp.service.stop()
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

export function readEvents(response: Response): () => Promise<string | null> {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async () => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        if (event !== 'retry: 2000') return event
        continue
      }
      const { value, done } = await reader.read()
      if (done) return null
      text += value
    }
  }
}
