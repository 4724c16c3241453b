import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Agent, type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { createManualClock } from '../clock.ts'
import { createSilentLogger } from '../log.ts'
import type { TokenBucketOptions } from '../token-bucket.ts'
import { type ApiKeys, apiKeyDigest, decodeApiKeys, NO_API_KEYS } from './access/api-keys.ts'
import { createRpcAccess, type RpcAccessOptions } from './access/rpc-access.ts'
import type { RpcMethods } from './rpc-method.ts'
import { createRpcServer, type RpcServer, type RpcServerDependencies, type RpcServerOptions } from './rpc-server.ts'

const servers: RpcServer[] = []
const opened: (Socket | WebSocket | Agent)[] = []
let subscriber: ((value: string) => boolean) | undefined

export const frontDoorMethods: RpcMethods = {
  net_version: () => '84532',
  echo: (params) => params,
  big: ([size]) => 'x'.repeat(Number(size)),
  subscribe: (_params, context) => {
    subscriber = (value) => context.notify?.('eth_subscription', value) === true
    return '0x1'
  },
}

export const notify = (value: string): boolean => subscriber?.(value) === true

export const call = (method: string, params: unknown[] = [], id: unknown = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params })

export function oneKey(key: string): ApiKeys {
  const decoded = decodeApiKeys(JSON.stringify({ keys: [{ name: 'a', tier: 'developer', sha256: apiKeyDigest(key) }] }))
  assert.ok(decoded.ok)
  return decoded.keys
}

export type AccessRules = Partial<RpcAccessOptions> & { readonly anonymous?: TokenBucketOptions; readonly keys?: () => ApiKeys }

export async function serveFrontDoor(
  options: Partial<RpcServerOptions> = {},
  access: AccessRules | null = {},
  others: Partial<RpcServerDependencies> = {},
) {
  const clock = createManualClock()
  const { anonymous, keys = () => NO_API_KEYS, ...rules } = access ?? {}
  const dependencies = { clock, keys, ...(anonymous === undefined ? {} : { anonymous: () => anonymous }) }
  const server = createRpcServer(
    { name: 'test RPC', host: '127.0.0.1', port: 0, ...options },
    {
      methods: frontDoorMethods,
      log: createSilentLogger(),
      clock,
      ...(access === null ? {} : { access: createRpcAccess({ trusted: [], proxies: [], ...rules }, dependencies) }),
      ...others,
    },
  )
  await server.start(new AbortController().signal)
  servers.push(server)
  return { server, clock }
}

export async function closeFrontDoors(): Promise<void> {
  for (const each of opened.splice(0)) each instanceof WebSocket ? each.terminate() : each.destroy()
  await Promise.all(servers.splice(0).map((server) => server.stop()))
}

export function closeLater<T extends Socket | WebSocket | Agent>(connection: T): T {
  opened.push(connection)
  return connection
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export async function answerOf(request: ClientRequest): Promise<Answer> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }
}

export function post(server: RpcServer, body: string, headers: Record<string, string> = {}, path = '/', agent?: Agent): Promise<Answer> {
  const request = httpRequest(`${server.httpUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(agent === undefined ? {} : { agent }),
  })
  request.end(body)
  return answerOf(request)
}

export async function rawConnection(server: RpcServer) {
  const socket = closeLater(connect(server.address.port, '127.0.0.1'))
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  socket.on('error', () => undefined)
  const closed: Promise<unknown> = once(socket, 'close')
  await once(socket, 'connect')
  return { socket, text: () => text, closed }
}

export async function openSocket(server: RpcServer, path = '', headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = closeLater(new WebSocket(server.wsUrl + path, { headers }))
  await once(socket, 'open')
  return socket
}

export interface Message {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export function reader(socket: WebSocket): () => Promise<Message> {
  const messages: Message[] = []
  const waiters: (() => void)[] = []
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)) as Message)
    for (const wake of waiters.splice(0)) wake()
  })
  return async () => {
    while (messages.length === 0) await new Promise<void>((resolve) => waiters.push(resolve))
    return messages.shift() as Message
  }
}
