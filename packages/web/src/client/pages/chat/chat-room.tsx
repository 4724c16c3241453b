import { useRef, useState } from 'react'
import { type Account, logOut } from '../../data/platform/account.ts'
import { wordsOf } from '../../data/platform/ask.ts'
import { type Conversation, useConversations } from '../../data/platform/conversations.ts'
import { forgetTrades } from '../../data/platform/trade-log.ts'
import { goTo, useSearch } from '../../shell/location.ts'
import { Composer } from './composer.tsx'
import { ConversationList } from './conversation-list.tsx'
import { ConversationView } from './conversation-view.tsx'
import { Suggestions } from './suggestions.tsx'

/** The chosen conversation is part of the page's address. */
export function ChatRoom({ account }: { readonly account: Account }) {
  const conversations = useConversations(account)
  const chosenId = new URLSearchParams(useSearch()).get('c')
  const chosen = conversations.list?.find(({ id }) => id === chosenId) ?? null
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isCreating, setIsCreating] = useState(false)
  /** Question of a conversation that was just created. */
  const first = useRef<{ readonly id: string; readonly text: string } | null>(null)

  const attempt = (act: () => Promise<void>) => {
    setTrouble(null)
    act().catch((error: unknown) => setTrouble(wordsOf(error)))
  }
  const begin = (text: string) =>
    attempt(async () => {
      setIsCreating(true)
      try {
        const created = await conversations.create()
        first.current = { id: created.id, text }
        goTo(`/chat?c=${created.id}`, { replace: true })
        await conversations.rename(created, text)
      } finally {
        setIsCreating(false)
      }
    })
  const remove = (conversation: Conversation) =>
    attempt(async () => {
      await conversations.remove(conversation)
      if (conversation.id === chosenId) goTo('/chat', { replace: true })
    })
  const takeFirst = (id: string) => {
    const text = first.current?.id === id ? first.current.text : null
    if (text !== null) first.current = null
    return text
  }
  const leave = () => {
    forgetTrades()
    logOut()
  }
  return (
    <div className="chat">
      <aside className="chat-side">
        <ConversationList list={conversations.list} chosenId={chosen?.id ?? null} onRemove={remove} />
        <div className="chat-account">
          <span title={account.email}>{account.email}</span>
          <button type="button" className="button is-plain" onClick={leave}>
            Log out
          </button>
        </div>
      </aside>
      <section className="card chat-main" aria-label="Conversation">
        {chosen !== null ? (
          <ConversationView key={chosen.id} conversation={chosen} takeFirst={takeFirst} />
        ) : (
          <>
            <div className="chat-log">
              <Suggestions onChoose={begin} isBusy={isCreating || conversations.list === null} />
            </div>
            <Composer isBusy={isCreating} onSend={begin} />
          </>
        )}
        <p role="alert" className={trouble === null && conversations.error === null ? undefined : 'notice-line'}>
          {trouble ?? (conversations.error === null ? null : wordsOf(conversations.error))}
        </p>
      </section>
    </div>
  )
}
