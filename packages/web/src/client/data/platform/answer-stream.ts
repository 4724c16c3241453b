/** An answer of the assistant as it is written, across interruptions. */
import { pause } from '../browser-clock.ts'
import { initOf, PLATFORM, PlatformRefusal, refusalOf } from './ask.ts'
import { readEvents } from './read-events.ts'

const STREAM = '/api/v1/chatbot/chat/stream'
const RETRIES = 4
const FIRST_RETRY_MS = 500

interface Fragment {
  readonly content: string
  readonly error?: boolean
}

export type AnswerPart = { readonly text: string } | { readonly failure: string }

/** A null question follows the running answer. Throws Refusal; status 404 means that nothing is being answered. */
export async function* streamAnswer(token: string, question: string | null, signal: AbortSignal): AsyncGenerator<AnswerPart> {
  let turn: string | null = null
  let characters = 0
  for (let attempt = 0; ; attempt++) {
    try {
      const resumed = turn === null ? {} : { 'last-event-id': `${turn}-${characters}` }
      const headers = { ...resumed, accept: 'text/event-stream' }
      const asks = turn === null && question !== null
      const json = asks ? { json: { messages: [{ role: 'user', content: question }] } } : {}
      const init = initOf({ method: asks ? 'POST' : 'GET', token, headers, ...json })
      const response = await fetch(PLATFORM + STREAM, { ...init, signal })
      if (!response.ok || response.body === null) throw await refusalOf(response)
      turn = response.headers.get('x-chat-turn')
      for await (const data of readEvents(response.body)) {
        if (data === '[DONE]') return
        const fragment = JSON.parse(data) as Fragment
        if (fragment.error === true) yield { failure: fragment.content.trim() }
        else {
          characters += fragment.content.length
          yield { text: fragment.content }
        }
      }
    } catch (error) {
      if (signal.aborted || error instanceof PlatformRefusal || turn === null || attempt === RETRIES) throw error
    }
    if (turn === null || attempt === RETRIES) throw new PlatformRefusal(0, 'The connection was lost before the answer was complete.', null)
    await pause(FIRST_RETRY_MS * 2 ** attempt)
  }
}
