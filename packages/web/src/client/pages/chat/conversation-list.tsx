import { useState } from 'react'
import type { Conversation } from '../../data/platform/conversations.ts'
import { Link } from '../../shell/link.tsx'

export interface ConversationListProps {
  readonly list: readonly Conversation[] | null
  readonly chosenId: string | null
  readonly onRemove: (conversation: Conversation) => void
}

export function ConversationList({ list, chosenId, onRemove }: ConversationListProps) {
  const [doomedId, setDoomedId] = useState<string | null>(null)
  return (
    <nav className="conversations" aria-label="Conversations">
      <Link href="/chat" className="button is-plain" aria-current={chosenId === null ? 'page' : undefined}>
        New conversation
      </Link>
      {list === null && <p className="loading">Loading the conversations.</p>}
      <ul>
        {list?.map((conversation) => {
          const name = conversation.name === '' ? 'Without a name' : conversation.name
          return (
            <li key={conversation.id} className={conversation.id === chosenId ? 'is-chosen' : undefined}>
              <Link href={`/chat?c=${conversation.id}`} aria-current={conversation.id === chosenId ? 'page' : undefined} title={name}>
                {name}
              </Link>
              {doomedId === conversation.id ? (
                <button type="button" className="conversation-delete is-bad" onClick={() => onRemove(conversation)}>
                  Delete?
                </button>
              ) : (
                <button
                  type="button"
                  className="conversation-delete"
                  aria-label={`Delete the conversation ${name}`}
                  onClick={() => setDoomedId(conversation.id)}
                >
                  ×
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
