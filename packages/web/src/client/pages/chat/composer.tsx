import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'

const MAX_CHARACTERS = 3_000
const SHOWN_FROM = 2_700

export interface ComposerProps {
  readonly isBusy: boolean
  readonly onSend: (text: string) => void
  readonly onStop?: () => void
}

/** Enter sends, Shift and Enter starts a line. */
export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus({ preventScroll: true })
  }, [])
  const send = () => {
    if (isBusy || text.trim() === '') return
    onSend(text.trim())
    setText('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form className="composer" onSubmit={submit}>
      <label htmlFor="chat-text" className="visually-hidden">
        Message
      </label>
      <textarea
        id="chat-text"
        ref={field}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        placeholder="Ask about prices, balances, blocks, or a swap"
        rows={2}
        maxLength={MAX_CHARACTERS}
      />
      {text.length >= SHOWN_FROM && (
        <span className="muted">
          {text.length} of {MAX_CHARACTERS}
        </span>
      )}
      {isBusy && onStop !== undefined ? (
        <button type="button" className="button is-plain" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="button" disabled={isBusy || text.trim() === ''}>
          Send
        </button>
      )}
    </form>
  )
}
