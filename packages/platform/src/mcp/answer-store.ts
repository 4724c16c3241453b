/** Event ids (for Last-Event-ID) are `<stream>-<position>`. */
import type { EventId, EventStore, StreamId } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'

export interface AnswerStoreLimits {
  readonly keptBytes: number
  readonly keptStreams: number
}

interface AnswerStream {
  readonly number: number
  readonly events: { readonly id: EventId; readonly message: JSONRPCMessage; readonly text: string }[]
  id: StreamId
  bytes: number
  left: number
}

export class AnswerStore implements EventStore {
  readonly #limits: AnswerStoreLimits
  readonly #kept = new Map<number, AnswerStream>()
  readonly #awaited = new Map<RequestId, AnswerStream>()
  #newest: AnswerStream = { number: 0, events: [], id: '', bytes: 0, left: 0 }

  constructor(limits: AnswerStoreLimits) {
    this.#limits = limits
  }

  /** Registers the requests of one POST; `keep` keeps their answers for resuming. */
  expect(ids: readonly RequestId[]): { keep(): void } {
    const stream = { number: this.#newest.number + 1, events: [], id: '', bytes: 0, left: ids.length }
    for (const id of ids) this.#awaited.set(id, stream)
    this.#newest = stream
    return {
      keep: () => {
        this.#kept.set(stream.number, stream)
        this.#tidy()
      },
    }
  }

  async storeEvent(streamId: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const requestId = 'id' in message ? message.id : undefined
    const stream = this.#awaited.get(requestId as RequestId) ?? this.#newest
    stream.id = streamId
    // the SDK's first event of a stream has an id but no message
    if (requestId === undefined) return `${stream.number}-0`
    this.#awaited.delete(requestId)
    const id = `${stream.number}-${stream.events.length + 1}`
    const text = `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`
    stream.events.push({ id, message, text })
    stream.bytes += text.length
    stream.left--
    this.#tidy()
    return id
  }

  async replayEventsAfter(lastEventId: EventId, { send }: Parameters<EventStore['replayEventsAfter']>[1]): Promise<StreamId> {
    const found = this.#find(lastEventId)
    if (found === null) throw new Error(`no events are kept after ${lastEventId}`)
    for (const { id, message } of found.later) await send(id, message)
    return found.stream.id
  }

  /** `rest` contains the later events once all answers are stored, until then null. */
  resume(lastEventId: EventId): { readonly rest: string | null } | null {
    const found = this.#find(lastEventId)
    return found && { rest: found.stream.left > 0 ? null : found.later.map(({ text }) => text).join('') }
  }

  #find(eventId: EventId) {
    const [, number, position] = /^(\d{1,9})-(\d{1,9})$/.exec(eventId) ?? []
    const stream = this.#kept.get(Number(number))
    if (stream === undefined || Number(position) > stream.events.length) return null
    return { stream, later: stream.events.slice(Number(position)) }
  }

  #tidy(): void {
    let bytes = [...this.#kept.values()].reduce((sum, stream) => sum + stream.bytes, 0)
    for (const stream of this.#kept.values()) {
      if (bytes <= this.#limits.keptBytes && (this.#kept.size <= this.#limits.keptStreams || stream.left > 0)) continue
      this.#kept.delete(stream.number)
      bytes -= stream.bytes
    }
  }
}
