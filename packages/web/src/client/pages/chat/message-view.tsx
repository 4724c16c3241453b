import { CodeBlock, RichText } from '../../parts/rich-text.tsx'
import { readOrder } from './order.ts'
import { OrderCard } from './order-card.tsx'
import type { ChatMessage } from './use-chat.ts'

/** The reader's own words are shown as they were typed. */
export function MessageView({ message, isOpen }: { readonly message: ChatMessage; readonly isOpen: boolean }) {
  const { role, content, failure } = message
  const isAnswer = role === 'assistant'
  return (
    <li className={`message is-${role}${isOpen ? ' is-open' : ''}`}>
      <span className="visually-hidden">{isAnswer ? 'The assistant:' : 'You:'}</span>
      {isAnswer ? <RichText text={content} showCode={AnswerCode} /> : <p>{content}</p>}
      {failure !== undefined && <p className="bad-text">{failure}</p>}
    </li>
  )
}

/** A trade is a card, any other code stays as it is. */
function AnswerCode({ text }: { readonly text: string }) {
  const order = readOrder(text)
  return order === null ? <CodeBlock text={text} /> : <OrderCard order={order} request={text} />
}
