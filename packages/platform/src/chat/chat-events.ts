/**
 * The events of an answer as text. An id is `<turn>-<characters>`: which answer of the session, and how much of it has
 * been said up to here. So an answer goes on exactly where a reader lost it, also from the stored message.
 */
import type { AnswerEnd, AnswerFragment } from './turn.ts'

export interface EventPlace {
  readonly turn: number
  readonly characters: number
}

/** Null for what is no id of ours. */
export function parseEventId(id: string): EventPlace | null {
  const [, turn, characters] = /^([1-9]\d{0,14})-(\d{1,6})$/.exec(id) ?? []
  return turn === undefined ? null : { turn: Number(turn), characters: Number(characters) }
}

export async function* answerEvents(
  parts: AsyncIterable<AnswerFragment | AnswerEnd>,
  { turn, characters }: EventPlace,
): AsyncGenerator<string> {
  // without data it is no event, but a reader cut off before the first one knows what to ask for
  yield `id: ${turn}-${characters}\n\n`
  for await (const part of parts) {
    if ('content' in part) yield `id: ${turn}-${part.until}\ndata: ${JSON.stringify({ role: 'assistant', content: part.content })}\n\n`
    else yield `${part.failure === null ? '' : `event: error\ndata: ${JSON.stringify({ detail: part.failure })}\n\n`}data: [DONE]\n\n`
  }
}
