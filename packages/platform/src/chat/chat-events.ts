/** Event ids are `<turn>-<UTF-16 units sent>`. */
import type { ChatFragment } from '../schemas/chat.ts'
import type { AnswerSource } from './turn.ts'

export interface EventPlace {
  readonly turn: number
  readonly characters: number
}

export const EVENT_ID = /^([1-9]\d{0,14})-(\d{1,6})$/

export function parseEventId(id: string): EventPlace | null {
  const [, turn, characters] = EVENT_ID.exec(id) ?? []
  return turn === undefined ? null : { turn: Number(turn), characters: Number(characters) }
}

export async function* answerEvents(
  source: AnswerSource,
  { turn, characters }: EventPlace,
  withIds: boolean,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let at = characters
  const id = () => (withIds ? `id: ${turn}-${at}\n` : '')
  // browsers store an id without data but dispatch no event
  if (withIds) yield `${id()}\n`
  for (;;) {
    const { text, over, failure } = source.state()
    if (text.length > at) {
      const content = text.slice(at)
      at = text.length
      yield id() + dataLine({ role: 'assistant', content })
    } else if (over) {
      if (failure !== null) yield dataLine({ role: 'assistant', content: `${at > 0 ? '\n\n' : ''}Error: ${failure}`, error: true })
      return yield 'data: [DONE]\n\n'
    } else if (signal.aborted) return
    else await source.changed(signal)
  }
}

function dataLine(fragment: ChatFragment): string {
  return `data: ${JSON.stringify(fragment)}\n\n`
}
