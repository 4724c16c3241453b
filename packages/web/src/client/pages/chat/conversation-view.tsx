import { useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../data/platform/ask.ts'
import type { Conversation } from '../../data/platform/conversations.ts'
import { useTradeLog } from '../../data/platform/trade-log.ts'
import type { Wish } from '../../data/platform/trade-types.ts'
import { Composer } from './composer.tsx'
import { MessageView } from './message-view.tsx'
import { TradeCard } from './trade-card.tsx'
import { TradeResultView } from './trade-result.tsx'
import { follow, readWish } from './trades.ts'
import { useChat } from './use-chat.ts'

export interface ConversationViewProps {
  readonly conversation: Conversation
  readonly takeFirst: (id: string) => string | null
}

interface Offered {
  readonly key: string
  readonly wish: Wish
}

export function ConversationView({ conversation, takeFirst }: ConversationViewProps) {
  const { id, token } = conversation
  const chat = useChat(token)
  const [offered, setOffered] = useState<Offered | null>(null)
  const [wishTrouble, setWishTrouble] = useState<string | null>(null)
  const trades = useTradeLog().filter(({ conversationId }) => conversationId === id)
  const end = useRef<HTMLDivElement>(null)

  const send = (text: string) => {
    setOffered(null)
    setWishTrouble(null)
    chat.send(text)
    readWish(token, text).then(
      (wish) => wish !== null && setOffered({ key: crypto.randomUUID(), wish }),
      (error: unknown) => setWishTrouble(`Whether you want to trade could not be read: ${wordsOf(error)}`),
    )
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each conversation
  useEffect(() => {
    const first = takeFirst(id)
    if (first !== null) send(first)
    for (const { key, executionId, state } of trades) if (state === 'pending' && executionId !== null) void follow(token, key, executionId)
  }, [id])
  const last = chat.messages.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text moves the end
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [last?.content, offered, trades.length])

  const isBusy = chat.state === 'waiting' || chat.state === 'writing'
  const spoken = !isBusy && last?.role === 'assistant' ? last.content : isBusy ? 'The assistant is answering.' : ''
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <div className="chat-log" role="log" aria-live="off" aria-label="Messages" tabIndex={0}>
        {chat.state === 'loading' && <p className="loading">Loading the conversation.</p>}
        <ol>
          {chat.messages.map((message, i) => (
            <MessageView key={String(i)} message={message} isOpen={isBusy && i === chat.messages.length - 1} />
          ))}
          {chat.state === 'waiting' && <li className="message is-assistant is-waiting">The assistant is thinking …</li>}
        </ol>
        {trades
          .filter(({ key }) => key !== offered?.key)
          .toReversed()
          .map((trade) => (
            <TradeResultView key={trade.key} trade={trade} />
          ))}
        {offered !== null && <TradeCard key={offered.key} id={offered.key} wish={offered.wish} conversationId={id} token={token} />}
        <p role="alert" className={chat.trouble === null && wishTrouble === null ? undefined : 'notice-line'}>
          {chat.trouble ?? wishTrouble}
        </p>
        <div ref={end} />
      </div>
      <div className="visually-hidden" role="status">
        {spoken}
      </div>
      <Composer isBusy={isBusy || chat.state === 'loading'} onSend={send} {...(isBusy ? { onStop: chat.stop } : {})} />
    </>
  )
}
