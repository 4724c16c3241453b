/** Market events as a text/event-stream, one event each. */
import type { FastifyReply } from 'fastify'
import { type EventStreamContext, sendEventStream } from '../../http/event-stream.ts'
import type { MarketEvent } from './market-hub.ts'

/** Resolves when the stream has ended; takes the reply over. */
export function sendMarketEvents(reply: FastifyReply, events: AsyncIterable<MarketEvent>, context: EventStreamContext): Promise<void> {
  return sendEventStream(reply, texts(events), context)
}

async function* texts(events: AsyncIterable<MarketEvent>): AsyncGenerator<string> {
  for await (const { id, event, ...data } of events) yield `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
