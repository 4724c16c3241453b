import { RichText } from '../../parts/rich-text.tsx'
import type { ChatMessage } from './use-chat.ts'

/** The reader's own words are shown as they were typed. */
export function MessageView({ message, isOpen }: { readonly message: ChatMessage; readonly isOpen: boolean }) {
  const { role, content, failure } = message
  const isAnswer = role === 'assistant'
  return (
    <li className={`message is-${role}${isOpen ? ' is-open' : ''}`}>
      <span className="visually-hidden">{isAnswer ? 'The assistant:' : 'You:'}</span>
      {isAnswer ? <RichText text={content} /> : <p>{content}</p>}
      {failure !== undefined && <p className="bad-text">{failure}</p>}
    </li>
  )
}
