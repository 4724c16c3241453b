/** Prevents repeated trades: a request has a unique id and one answer, and a client cannot cancel a tool that moves money. */
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpAnswer, McpMessage } from '../schemas/mcp.ts'
import { messageFault } from './message-fault.ts'
import { idMeantBy } from './number-ids.ts'
import { ProtocolFailure } from './protocol-failure.ts'

const ENDED = new ProtocolFailure('ended', 'The session has ended')
const DUPLICATE = new ProtocolFailure('invalid-request', 'A request with this id is in progress')

export class GuardedTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #inner: Transport
  readonly #movesMoney: (tool: string) => boolean
  readonly #asked = new Map<RequestId, JSONRPCRequest>()
  #isClosed = false

  constructor(inner: Transport, movesMoney: (tool: string) => boolean) {
    this.#inner = inner
    this.#movesMoney = movesMoney
    inner.onmessage = (message, extra) => this.#receive(message, extra)
    inner.onclose = () => void this.close()
    inner.onerror = (error) => this.onerror?.(error)
  }

  get asked(): number {
    return this.#asked.size
  }

  /** Returns the error to answer, or null to pass the message on. */
  refusalsOf(messages: readonly McpMessage[]): readonly (McpAnswer | null)[] {
    const ids = new Set(this.#asked.keys())
    return messages.map((message) => {
      const { id } = message
      const fault = messageFault(message) ?? (this.#isClosed ? ENDED : id !== undefined && ids.has(id) ? DUPLICATE : null)
      if (id !== undefined) ids.add(id)
      return fault?.answerTo(id) ?? null
    })
  }

  start(): Promise<void> {
    return this.#inner.start()
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)
    if (isAnswer && !this.#asked.delete(message.id as RequestId)) return
    await this.#inner.send(message, options)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
    await Promise.allSettled([...this.#asked.keys()].map((id) => this.send(ENDED.answerTo(id) as JSONRPCMessage)))
    await this.#inner.close()
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if (isJSONRPCRequest(message)) this.#asked.set(message.id, message)
    const isCancellation = 'method' in message && message.method === 'notifications/cancelled'
    const cancelled = isCancellation ? idMeantBy(message.params?.requestId, this.#asked.keys()) : undefined
    const request = this.#asked.get(cancelled as RequestId)
    if (request !== undefined && !this.#isCancellable(request)) return
    this.onmessage?.(isCancellation ? { ...message, params: { ...message.params, requestId: cancelled } } : message, extra)
    // the SDK sends no answer to a cancelled request
    if (request === undefined) return
    const answer = new ProtocolFailure('cancelled', 'Request cancelled').answerTo(request.id)
    this.send(answer as JSONRPCMessage).catch((error: Error) => this.onerror?.(error))
  }

  #isCancellable({ method, params }: JSONRPCRequest): boolean {
    return method !== 'initialize' && !(method === 'tools/call' && this.#movesMoney(String(params?.name)))
  }
}
