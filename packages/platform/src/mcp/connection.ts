/**
 * A client's conversation with the SDK's server, over any transport. Each request gives one answer, which the caller
 * delivers. The server sends no requests of its own, so there is nothing else to deliver.
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
import { messageFault } from './message-fault.ts'
import { ProtocolFailure } from './protocol-failure.ts'

export type MessageId = string | number

export interface McpConnection {
  /**
   * Null for a notification, which has no answer. Every other message gets one: an error when it cannot be read, when the
   * client cancels it and when the connection ends.
   */
  receive(message: McpMessage): Promise<McpAnswer> | null
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
    receive(message) {
      const fault = messageFault(message)
      if (fault !== null) return Promise.resolve(errorAnswer(message.id ?? null, fault))
      if (message.id !== undefined) return ask(message.id, message)
      tell(message)
      return null
    },
    close,
  }

  async function ask(id: MessageId, message: McpMessage): Promise<McpAnswer> {
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
  }

  function tell(message: McpMessage): void {
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
    const waiting = pending.get(cancelled)
    if (waiting !== undefined) {
      const { method, params } = waiting.message
      if (method === 'initialize' || (method === 'tools/call' && movesMoney(String(params?.name)))) return
    }
    transport.onmessage?.({ method: message.method, ...(message.params === undefined ? {} : { params: message.params }), jsonrpc: '2.0' })
    if (waiting !== undefined) settle(cancelled, errorAnswer(cancelled, new ProtocolFailure('cancelled', 'Request cancelled')))
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    stop.removeEventListener('abort', onStop)
    transport.onclose?.()
    for (const id of [...pending.keys()]) settle(id, errorAnswer(id, new ProtocolFailure('ended', 'The session has ended')))
  }
}

function errorAnswer(id: MessageId | null, { code, message }: ProtocolFailure): McpAnswer {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function paramsProblem(
  method: string,
  { issues }: { readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[] },
): string {
  const [first] = issues
  return `Invalid params of ${method}: ${first?.path.map(String).join('.') ?? ''}: ${first?.message ?? 'unknown'}`
}
