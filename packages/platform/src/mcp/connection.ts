/**
 * A client's conversation with the SDK's server, whatever it goes over: each request is asked and gives one answer, and
 * who asked decides how it is delivered. The server asks clients nothing, so nothing else is ever sent.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpAnswer, McpMessage } from '../schemas/mcp.ts'
import { ProtocolFailure } from './protocol-failure.ts'

export type MessageId = string | number

export interface McpConnection {
  /** Always gives an answer, an error where the client cancels or the connection ends. */
  ask(id: MessageId, message: McpMessage): Promise<McpAnswer>
  /** Of a message that is not answered. */
  tell(message: McpMessage): void
  /** Requests without an answer yet. */
  readonly asked: number
  close(): void
}

export interface ConnectionDependencies {
  /** Gets the messages by the transport it is given. */
  connect(transport: Transport): Promise<void>
  /** A call of it is not cancelled. */
  movesMoney(tool: string): boolean
  readonly stopping: AbortSignal
}

interface Pending {
  readonly message: McpMessage
  readonly answer: (answer: McpAnswer) => void
}

const PARAMS = new Map(
  Object.entries({ initialize: InitializeRequestSchema, 'tools/list': ListToolsRequestSchema, 'tools/call': CallToolRequestSchema }),
)

export async function openConnection({ connect, movesMoney, stopping }: ConnectionDependencies): Promise<McpConnection> {
  const pending = new Map<MessageId, Pending>()
  let isClosed = false
  const settle = (id: MessageId, answer: McpAnswer) => {
    const waiting = pending.get(id)
    pending.delete(id)
    waiting?.answer(answer)
  }
  const transport: Transport = {
    start: async () => undefined,
    async send(message: JSONRPCMessage) {
      if (isJSONRPCResultResponse(message) || (isJSONRPCErrorResponse(message) && message.id !== undefined))
        settle(message.id as MessageId, message as McpAnswer)
    },
    close: async () => close(),
  }
  // a signal of its own: one that thousands listen to is taken for a leak
  const stop = AbortSignal.any([stopping])
  const onStop = () => close()
  stop.addEventListener('abort', onStop, { once: true })
  await connect(transport)
  if (stop.aborted) close()

  return {
    get asked() {
      return pending.size
    },
    async ask(id, message) {
      if (isClosed) return errorAnswer(id, new ProtocolFailure('ended', 'The session has ended'))
      if (pending.has(id)) return errorAnswer(id, new ProtocolFailure('invalid-request', 'A request with this id is under way'))
      const request = { ...message, jsonrpc: '2.0' as const, id }
      const judged = PARAMS.get(message.method)?.safeParse(request)
      if (judged?.success === false)
        return errorAnswer(id, new ProtocolFailure('invalid-params', paramsProblem(message.method, judged.error)))
      return new Promise((answer) => {
        pending.set(id, { message, answer })
        transport.onmessage?.(request)
      })
    },
    tell(message) {
      const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
      const waiting = pending.get(cancelled)
      if (waiting !== undefined) {
        const { method, params } = waiting.message
        if (method === 'initialize' || (method === 'tools/call' && movesMoney(String(params?.name)))) return
      }
      transport.onmessage?.({ method: message.method, ...(message.params === undefined ? {} : { params: message.params }), jsonrpc: '2.0' })
      if (waiting !== undefined) settle(cancelled, errorAnswer(cancelled, new ProtocolFailure('cancelled', 'Request cancelled')))
    },
    close,
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    stop.removeEventListener('abort', onStop)
    transport.onclose?.()
    for (const id of [...pending.keys()]) settle(id, errorAnswer(id, new ProtocolFailure('ended', 'The session has ended')))
  }
}

function errorAnswer(id: MessageId, { code, message }: ProtocolFailure): McpAnswer {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function paramsProblem(
  method: string,
  { issues }: { readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[] },
): string {
  const [first] = issues
  return `Invalid params of ${method}: ${first?.path.map(String).join('.') ?? ''}: ${first?.message ?? 'unknown'}`
}
