/**
 * Formats the events of an answer, one data line each. A position is `<turn>-<characters>`: the number of the answer in the
 * session, and the length of the text sent so far in UTF-16 units. Readers that reconnect automatically get positions as event
 * ids; others read the turn from a header and count characters.
 */
import type { ChatFragment } from '../schemas/chat.ts'
import type { AnswerEnd, AnswerFragment } from './turn.ts'

export interface EventPlace {
  readonly turn: number
  readonly characters: number
}

/** Null for other text. */
export function parseEventId(id: string): EventPlace | null {
  const [, turn, characters] = /^([1-9]\d{0,14})-(\d{1,6})$/.exec(id) ?? []
  return turn === undefined ? null : { turn: Number(turn), characters: Number(characters) }
}

export async function* answerEvents(
  parts: AsyncIterable<AnswerFragment | AnswerEnd>,
  { turn, characters }: EventPlace,
  withIds: boolean,
): AsyncGenerator<string> {
  const idOf = (until: number) => (withIds ? `id: ${turn}-${until}\n` : '')
  // an id without data dispatches no event, but gives an early reader its position
  if (withIds) yield `${idOf(characters)}\n`
  let hasSaid = characters > 0
  for await (const part of parts) {
    if ('content' in part) {
      hasSaid = true
      yield `${idOf(part.until)}${dataLine({ role: 'assistant', content: part.content })}`
    } else {
      if (part.failure !== null)
        yield dataLine({ role: 'assistant', content: `${hasSaid ? '\n\n' : ''}Error: ${part.failure}`, error: true })
      yield 'data: [DONE]\n\n'
    }
  }
}

function dataLine(fragment: ChatFragment): string {
  return `data: ${JSON.stringify(fragment)}\n\n`
}
