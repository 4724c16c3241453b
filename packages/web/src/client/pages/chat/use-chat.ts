/** One conversation: its messages, and the answer that is being written. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { Refusal } from '../../data/get-json.ts'
import { streamAnswer } from '../../data/platform/answer-stream.ts'
import { ask, wordsOf } from '../../data/platform/ask.ts'
import { withRetries } from '../../data/retries.ts'

export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  /** Why the answer is incomplete; not stored. */
  readonly failure?: string
}

export type ChatState = 'loading' | 'idle' | 'waiting' | 'writing'

export interface Chat {
  readonly messages: readonly ChatMessage[]
  readonly state: ChatState
  readonly trouble: string | null
  send(question: string): void
  /** Ends reading; the platform finishes the answer and stores it. */
  stop(): void
}

const MESSAGES = '/api/v1/chatbot/messages'
const STOPPED = 'You stopped reading. The platform finishes the answer; reload the page to see all of it.'

export function useChat(token: string): Chat {
  const [messages, setMessages] = useState<readonly ChatMessage[]>([])
  const [state, setState] = useState<ChatState>('loading')
  const [trouble, setTrouble] = useState<string | null>(null)
  const reading = useRef<AbortController | null>(null)

  const read = useCallback(
    async (question: string | null) => {
      const leaving = new AbortController()
      reading.current = leaving
      setTrouble(null)
      setState('waiting')
      const amend = (change: (open: ChatMessage) => ChatMessage) =>
        setMessages((known) => {
          const last = known.at(-1)
          return last?.role === 'assistant' ? [...known.slice(0, -1), change(last)] : [...known, change({ role: 'assistant', content: '' })]
        })
      try {
        for await (const part of streamAnswer(token, question, leaving.signal)) {
          setState('writing')
          amend((open) => ('text' in part ? { ...open, content: open.content + part.text } : { ...open, failure: part.failure }))
        }
      } catch (error) {
        if (leaving.signal.reason === STOPPED) amend((open) => ({ ...open, failure: STOPPED }))
        else if (leaving.signal.aborted) return
        else if (isNothingRunning(error, question)) await showStored(token, leaving.signal, setMessages, setTrouble)
        else setTrouble(wordsOf(error))
      }
      if (leaving.signal.aborted && leaving.signal.reason !== STOPPED) return
      setState('idle')
    },
    [token],
  )

  useEffect(() => {
    const leaving = new AbortController()
    const isReading = () => reading.current !== null
    const say = (error: unknown) => !leaving.signal.aborted && !isReading() && setTrouble(wordsOf(error))
    const fetchMessages = () => ask<{ messages: readonly ChatMessage[] }>(MESSAGES, { token })
    const open = async () => {
      const { messages: known } = await withRetries(fetchMessages, leaving.signal, say)
      if (leaving.signal.aborted) return
      // What was sent meanwhile stays.
      setMessages((sent) => (sent.length === 0 ? known : sent))
      if (isReading()) return
      setTrouble(null)
      if (known.at(-1)?.role === 'user') await read(null)
      else setState('idle')
    }
    open().catch((error: unknown) => {
      say(error)
      if (!leaving.signal.aborted && !isReading()) setState('idle')
    })
    return () => {
      leaving.abort()
      reading.current?.abort()
    }
  }, [token, read])

  return {
    messages,
    state,
    trouble,
    send(question) {
      setMessages((known) => {
        const last = known.at(-1)
        return last?.role === 'user' && last.content === question ? known : [...known, { role: 'user', content: question }]
      })
      void read(question)
    },
    stop: () => reading.current?.abort(STOPPED),
  }
}

function isNothingRunning(error: unknown, question: string | null): boolean {
  return question === null && error instanceof Refusal && error.status === 404
}

/** The answer may have ended between the reading of the messages and the request to follow it. */
async function showStored(
  token: string,
  signal: AbortSignal,
  setMessages: (messages: readonly ChatMessage[]) => void,
  setTrouble: (words: string) => void,
): Promise<void> {
  try {
    const { messages } = await ask<{ messages: readonly ChatMessage[] }>(MESSAGES, { token })
    if (signal.aborted) return
    setMessages(messages)
    if (messages.at(-1)?.role === 'user') setTrouble('The last question has no answer. Send it again.')
  } catch (error) {
    if (!signal.aborted) setTrouble(wordsOf(error))
  }
}
